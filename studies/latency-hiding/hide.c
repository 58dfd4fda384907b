// Tasks that hide the latency of a real network: P ranks, each in a network namespace of its own, ask each other
// for items over TCP, by way of a relay in another namespace, which holds every message for a delay.
//
// A rank has TASKS tasks. Each asks a rank drawn at random, waits for its reply, and asks again. Items of 32 bytes for
// the same rank are collected into one message, which leaves when it has BUFFER items or when its first item has waited
// for AGE. Namespaces and their rate are namespaces.sh's; their names begin with the variable SPACES, or steyard.
//
// Run:    hide P DELAY_MS TASKS AGE_MS BUFFER SECONDS
// Prints: name=value: rate, items a second and rank that were answered in the last two thirds of SECONDS;
//         items_per_message, of all ranks.
// Exit:   0; 1 a rank failed; 2 usage; 4 the namespaces are not there.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 16, PORT = 7071, REQUEST = 1, REPLY = 2, START = 255, PIECE = 1 << 16 };

struct item {
    uint32_t task;
    uint8_t kind;
    uint8_t rest[27];
};

struct head {
    uint8_t to;
    uint8_t from;
    uint16_t items;
    uint32_t reserved;
};

// Bytes that wait: those from `begin` to `end` of `data`.
struct queue {
    char *data;
    size_t begin, end, room;
};

struct answer {
    uint64_t answered, items, messages;
    double seconds;
};

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "hide: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void put(struct queue *queue, const void *bytes, size_t count) {
    if (queue->begin == queue->end) {
        queue->begin = queue->end = 0;
    }
    if (queue->end + count > queue->room) {
        memmove(queue->data, queue->data + queue->begin, queue->end - queue->begin);
        queue->end -= queue->begin;
        queue->begin = 0;
        while (queue->end + count > queue->room) {
            queue->room = queue->room ? 2 * queue->room : PIECE;
            if ((queue->data = realloc(queue->data, queue->room)) == NULL) {
                fail("memory");
            }
        }
    }
    memcpy(queue->data + queue->end, bytes, count);
    queue->end += count;
}

// Reads what has come; 0 where the other side has closed.
static int receive(int socket, struct queue *queue) {
    static char bytes[PIECE];
    const ssize_t count = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) {
        put(queue, bytes, (size_t)count);
    }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

static int send_some(int socket, struct queue *queue) {
    while (queue->begin < queue->end) {
        const ssize_t count =
            send(socket, queue->data + queue->begin, queue->end - queue->begin, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        queue->begin += (size_t)count;
    }
    return 1;
}

// The whole first message of a queue, or NULL; `queue->begin` stays.
static const struct head *first_message(const struct queue *queue, size_t *size) {
    const size_t there = queue->end - queue->begin;
    const struct head *head = (const void *)(queue->data + queue->begin);
    if (there < sizeof *head) {
        return NULL;
    }
    *size = sizeof *head + head->items * sizeof(struct item);
    return there < *size ? NULL : head;
}

static void wait_for(struct pollfd *sockets, int count, double until) {
    const double rest = until - now_s();
    if (rest <= 0) {
        poll(sockets, (nfds_t)count, 0);
        return;
    }
    const struct timespec time = {(time_t)rest, (long)(1e9 * (rest - (double)(time_t)rest))};
    ppoll(sockets, (nfds_t)count, &time, NULL);
}

static void enter(const char *name) {
    char path[64];
    const char *spaces = getenv("SPACES");
    snprintf(path, sizeof path, "/run/netns/%s-%s", spaces == NULL ? "steyard" : spaces, name);
    const int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0) {
        fprintf(stderr, "hide: no namespace %s: namespaces.sh up makes it, as root\n", path);
        exit(4);
    }
    close(space);
}

static int prepare(int socket) {
    const int one = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return socket;
}

// Holds each message for a delay, then hands it on. Messages are due in the order in which they came.
static void relay(int ranks, double delay_s, double seconds, int ready) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    const int one = 1, listening = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listening, (void *)&address, sizeof address) != 0 || listen(listening, RANKS) != 0) {
        fail("relay");
    }
    if (write(ready, "", 1) != 1) {
        fail("pipe");
    }
    struct pollfd sockets[RANKS];
    struct queue in[RANKS] = {0}, out[RANKS] = {0}, held = {0};
    for (int i = 0; i < ranks; i++) {
        const int accepted = prepare(accept(listening, NULL, NULL));
        uint8_t rank = 0;
        if (accepted < 0 || recv(accepted, &rank, 1, MSG_WAITALL) != 1 || rank >= ranks) {
            fail("accept");
        }
        sockets[rank] = (struct pollfd){accepted, POLLIN, 0};
    }
    const struct head start = {.to = START};
    for (int i = 0; i < ranks; i++) {
        put(&out[i], &start, sizeof start);
    }
    const double end = now_s() + seconds + 0.3;
    while (now_s() < end) {
        double due = end;
        while (held.begin < held.end) {
            double at;
            memcpy(&at, held.data + held.begin, sizeof at);
            if (at > now_s()) {
                due = at;
                break;
            }
            held.begin += sizeof at;
            size_t size = 0;
            const struct head *head = first_message(&held, &size);
            put(&out[head->to], head, size);
            held.begin += size;
        }
        for (int i = 0; i < ranks; i++) {
            if (!send_some(sockets[i].fd, &out[i])) {
                sockets[i].fd = -1;
                out[i].begin = out[i].end = 0;
            }
            sockets[i].events = (short)(POLLIN | (out[i].begin < out[i].end ? POLLOUT : 0));
        }
        wait_for(sockets, ranks, due);
        for (int i = 0; i < ranks; i++) {
            if (sockets[i].fd >= 0 && (sockets[i].revents & (POLLIN | POLLHUP)) && !receive(sockets[i].fd, &in[i])) {
                sockets[i].fd = -1;
            }
            size_t size = 0;
            const struct head *head;
            while ((head = first_message(&in[i], &size)) != NULL) {
                const double at = now_s() + delay_s;
                put(&held, &at, sizeof at);
                put(&held, head, size);
                in[i].begin += size;
            }
        }
    }
}

struct buffer {
    struct head head;
    struct item *items;
    double since;
};

struct rank {
    int me, ranks, capacity;
    struct buffer to[RANKS];
    struct queue out;
    struct answer answer;
    uint64_t drawn;
};

static void leave(struct rank *rank, int to) {
    struct buffer *buffer = &rank->to[to];
    put(&rank->out, &buffer->head, sizeof buffer->head);
    put(&rank->out, buffer->items, buffer->head.items * sizeof *buffer->items);
    rank->answer.items += buffer->head.items;
    rank->answer.messages++;
    buffer->head.items = 0;
}

static void add(struct rank *rank, int to, uint8_t kind, uint32_t task) {
    struct buffer *buffer = &rank->to[to];
    if (buffer->head.items == 0) {
        buffer->since = now_s();
    }
    buffer->items[buffer->head.items++] = (struct item){.task = task, .kind = kind};
    if (buffer->head.items == rank->capacity) {
        leave(rank, to);
    }
}

static void ask(struct rank *rank, uint32_t task) {
    rank->drawn = rank->drawn * 6364136223846793005U + 1442695040888963407U;
    const int other = (int)((rank->drawn >> 33) % (uint64_t)(rank->ranks - 1));
    add(rank, other < rank->me ? other : other + 1, REQUEST, task);
}

static void take(struct rank *rank, const struct head *head) {
    const struct item *items = (const void *)(head + 1);
    for (int i = 0; i < head->items; i++) {
        if (items[i].kind == REQUEST) {
            add(rank, head->from, REPLY, items[i].task);
        } else {
            rank->answer.answered++;
            ask(rank, items[i].task);
        }
    }
}

static int connect_to_relay(int me) {
    char text[32];
    snprintf(text, sizeof text, "10.78.%d.1", me);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, text, &address.sin_addr);
    const int socket_ = prepare(socket(AF_INET, SOCK_STREAM, 0));
    const uint8_t name = (uint8_t)me;
    if (connect(socket_, (void *)&address, sizeof address) != 0 || send(socket_, &name, 1, 0) != 1) {
        fail("connect");
    }
    return socket_;
}

static struct answer work(int me, int ranks, uint32_t tasks, double age_s, int capacity, double seconds) {
    struct rank rank = {.me = me, .ranks = ranks, .capacity = capacity, .drawn = (uint64_t)me + 1};
    for (int i = 0; i < ranks; i++) {
        rank.to[i].head = (struct head){.to = (uint8_t)i, .from = (uint8_t)me};
        if ((rank.to[i].items = calloc((size_t)capacity, sizeof(struct item))) == NULL) {
            fail("memory");
        }
    }
    struct pollfd socket_ = {connect_to_relay(me), POLLIN, 0};
    struct queue in = {0};
    struct answer before = {0};
    double begin = 0, end = now_s() + 60;
    for (double now; (now = now_s()) < end;) {
        if (begin > 0 && before.seconds == 0 && now > begin + seconds / 3) {
            before = rank.answer;
            before.seconds = now;
        }
        double due = end;
        for (int i = 0; i < ranks; i++) {
            if (rank.to[i].head.items > 0 && rank.to[i].since + age_s <= now) {
                leave(&rank, i);
            } else if (rank.to[i].head.items > 0 && rank.to[i].since + age_s < due) {
                due = rank.to[i].since + age_s;
            }
        }
        if (!send_some(socket_.fd, &rank.out)) {
            fail("send");
        }
        socket_.events = (short)(POLLIN | (rank.out.begin < rank.out.end ? POLLOUT : 0));
        wait_for(&socket_, 1, due);
        if ((socket_.revents & (POLLIN | POLLHUP)) && !receive(socket_.fd, &in)) {
            fail("receive");
        }
        size_t size = 0;
        const struct head *head;
        while ((head = first_message(&in, &size)) != NULL) {
            if (head->to == START) {
                begin = now_s();
                end = begin + seconds;
                for (uint32_t task = 0; task < tasks; task++) {
                    ask(&rank, task);
                }
            } else {
                take(&rank, head);
            }
            in.begin += size;
        }
    }
    rank.answer.answered -= before.answered;
    rank.answer.items -= before.items;
    rank.answer.messages -= before.messages;
    rank.answer.seconds = now_s() - before.seconds;
    return rank.answer;
}

int main(int count, char **words) {
    const int ranks = count == 7 ? atoi(words[1]) : 0;
    if (ranks < 2 || ranks > RANKS) {
        fprintf(stderr, "usage: hide P DELAY_MS TASKS AGE_MS BUFFER SECONDS, P from 2 to %d\n", RANKS);
        return 2;
    }
    const double delay_s = 1e-3 * atof(words[2]), age_s = 1e-3 * atof(words[4]), seconds = atof(words[6]);
    const int tasks = atoi(words[3]), capacity = atoi(words[5]);
    int ready[2], answers[2], status = 0;
    if (pipe(ready) != 0 || pipe(answers) != 0) {
        fail("pipe");
    }
    char byte;
    if (fork() == 0) {
        enter("hub");
        relay(ranks, delay_s, seconds, ready[1]);
        exit(0);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) {
        wait(&status);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    for (int i = 0; i < ranks; i++) {
        if (fork() == 0) {
            char name[16];
            snprintf(name, sizeof name, "%d", i);
            enter(name);
            const struct answer answer = work(i, ranks, (uint32_t)tasks, age_s, capacity, seconds);
            exit(write(answers[1], &answer, sizeof answer) == sizeof answer ? 0 : 1);
        }
    }
    double rate = 0;
    uint64_t items = 0, messages = 0;
    close(answers[1]);
    struct answer answer;
    int answered = 0;
    while (read(answers[0], &answer, sizeof answer) == sizeof answer) {
        rate += (double)answer.answered / answer.seconds / ranks;
        items += answer.items;
        messages += answer.messages;
        answered++;
    }
    int failed = answered != ranks;
    while (wait(&status) > 0) {
        failed |= status;
    }
    printf("rate=%.6g\nitems_per_message=%.6g\n", rate, messages ? (double)items / (double)messages : 0.0);
    return failed ? 1 : 0;
}
