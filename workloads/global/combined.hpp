// Flat combining: operations of the tasks of a rank on one object of another, of which one message carries
// all that wait.
//
// D. Hendler, I. Incze, N. Shavit, M. Tzafrir: Flat combining and the synchronization-parallelism tradeoff,
// SPAA 2010, DOI 10.1145/1810479.1810540; between ranks as B. Holt et al.: Flat combining synchronized global
// data structures, PGAS 2013.
#pragma once

#include <memory>
#include <utility>

#include "global/delegates.hpp"

namespace goodsyard::global {

/// A counter that tasks of all ranks add to. Each rank makes one for the same counter; it has one message on
/// its way at a time, and what its tasks add meanwhile is added up and goes with the next.
template <class T>
class CombinedCounter {
  public:
    /// `delegates` outlives this.
    CombinedCounter(Delegates& delegates, GlobalPtr<T> counter) : delegates_(delegates), counter_(counter) {}
    CombinedCounter(const CombinedCounter&) = delete;
    CombinedCounter& operator=(const CombinedCounter&) = delete;

    /// Add, and return what was there before, as if all additions had come one after the other. Called by a
    /// fibre, which waits.
    T fetch_add(T added) {
        if (gathering_) {
            const std::shared_ptr<Batch> batch = gathering_;
            const T before = std::exchange(batch->sum, static_cast<T>(batch->sum + added));
            batch->base.wait();
            return static_cast<T>(batch->base.value() + before);
        }
        // The first of a batch sends it, when the one before has come back.
        const auto batch = std::make_shared<Batch>(delegates_.tasks(), added);
        gathering_ = batch;
        while (is_sending_) {
            free_.wait();
        }
        gathering_ = nullptr;
        is_sending_ = true;
        Future<T> answer(delegates_.tasks(), "the answer of a combined delegate");
        delegates_.fetch_add(counter_, batch->sum, answer);
        answer.wait();
        is_sending_ = false;
        if (free_.any()) {
            free_.release_first();
        }
        batch->base.set(answer.value());
        return batch->base.value();
    }

  private:
    struct Batch {
        Batch(Tasks& tasks, T added) : sum(added), base(tasks, "the answer of a combined delegate") {}
        T sum;
        Future<T> base; ///< What was there before the batch.
    };

    Delegates& delegates_;
    GlobalPtr<T> counter_;
    std::shared_ptr<Batch> gathering_; ///< Not sent yet.
    bool is_sending_ = false;
    runtime::Waiting free_{delegates_.tasks(), "its turn at a combined delegate"};
};

} // namespace goodsyard::global
