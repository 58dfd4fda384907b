#include "process_tree.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace steelyard {
namespace {

/// A process that starts `width` others in sessions of their own, each of which starts `depth` levels more,
/// and all of which ignore SIGTERM and sleep. Says through a pipe when everybody is there.
pid_t start_tree(int width, int depth) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t root = fork();
    if (root == 0) {
        signal(SIGTERM, SIG_IGN);
        for (int i = 0; i < width; ++i) {
            if (fork() != 0) {
                continue;
            }
            setsid();
            for (int level = 1; level < depth; ++level) {
                if (fork() != 0) {
                    break;
                }
            }
            if (write(ends[1], "x", 1) != 1) {
                _exit(1);
            }
            for (;;) {
                pause();
            }
        }
        for (;;) {
            pause();
        }
    }
    char ready = 0;
    for (int i = 0; i < width * depth; ++i) {
        EXPECT_EQ(read(ends[0], &ready, 1), 1);
    }
    close(ends[0]);
    close(ends[1]);
    return root;
}

class ProcessTree : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
    KeptProcesses processes;
};

TEST_F(ProcessTree, OfNobodyHasNothingToEnd) {
    EXPECT_TRUE(can_list_children());
    EXPECT_FALSE(reap_and_look(processes));
    EXPECT_EQ(end_descendants(processes).processes, 0U);
}

TEST_F(ProcessTree, IsEndedToItsLastLeafAndReaped) {
    start_tree(5, 3);
    EXPECT_TRUE(reap_and_look(processes));
    const Ended ended = end_descendants(processes);
    EXPECT_TRUE(ended.complete);
    EXPECT_EQ(ended.processes, 16U);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST_F(ProcessTree, OfOrphansIsFound) {
    kill(start_tree(3, 2), SIGKILL);
    const Ended ended = end_descendants(processes);
    EXPECT_TRUE(ended.complete);
    EXPECT_GE(ended.processes, 6U);
    EXPECT_FALSE(reap_and_look(processes));
}

TEST_F(ProcessTree, LeavesWhatIsKeptAndItsChildren) {
    const pid_t daemon = start_tree(2, 1);
    processes.keep_children(true);
    EXPECT_FALSE(reap_and_look(processes)) << "only what is not kept counts as left";
    start_tree(1, 1);
    EXPECT_TRUE(reap_and_look(processes));
    EXPECT_EQ(end_descendants(processes).processes, 2U);
    EXPECT_EQ(kill(daemon, 0), 0);
    EXPECT_TRUE(processes.contains(daemon));

    processes.drop_of_trial();
    EXPECT_TRUE(processes.empty());
    EXPECT_EQ(end_descendants(processes).processes, 3U);
}

TEST_F(ProcessTree, ForgetsAKeptProcessThatEnds) {
    const pid_t daemon = start_tree(0, 0);
    processes.keep_children(false);
    processes.drop_of_trial();
    ASSERT_TRUE(processes.contains(daemon)) << "it was processes for more than a trial";
    kill(daemon, SIGKILL);
    siginfo_t info;
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(daemon), &info, WEXITED | WNOWAIT), 0);
    EXPECT_FALSE(reap_and_look(processes));
    EXPECT_TRUE(processes.empty());
}

TEST_F(ProcessTree, DoesNotCountAsLeftWhatEndedByItself) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    siginfo_t info;
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    EXPECT_FALSE(reap_and_look(processes));
}

} // namespace
} // namespace steelyard
