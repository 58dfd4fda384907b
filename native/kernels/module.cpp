// Python's door to the kernels: arrays in, arrays out, threads over functions.
#include "draws.hpp"
#include "resample.hpp"
#include "search.hpp"
#include "special_module.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Threads that are joined at the end of their scope, as std::jthread's, which libc++ has only since LLVM 20.
struct Helpers {
    std::vector<std::thread> threads;

    Helpers() = default;
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() {
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
};

template <typename T, std::size_t rank>
using Input = nb::ndarray<const T, nb::ndim<static_cast<nb::ssize_t>(rank)>, nb::c_contig, nb::device::cpu>;

template <typename T>
auto output(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const auto length : shape) {
        size *= length;
    }
    auto* data = new T[size]();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

void require(bool condition, const char* what) {
    if (!condition) {
        throw std::invalid_argument(what);
    }
}

class Space {
  public:
    Space(const Input<double, 2>& columns, const Input<std::int32_t, 2>& terms,
          const Input<double, 1>& log_prior, const Input<std::int32_t, 1>& group, const Input<double, 1>& tau,
          const Input<double, 1>& log_tau_prior, double negative_constant) {
        space_.columns = static_cast<int>(columns.shape(0));
        space_.points = static_cast<int>(columns.shape(1));
        const std::size_t n = columns.shape(0), m = columns.shape(1), count = terms.shape(0);
        require(terms.shape(1) == steelyard::max_terms, "terms must have three columns");
        require(log_prior.shape(0) == count && group.shape(0) == count,
                "log_prior and group must have a value for each candidate");
        require(tau.shape(0) == log_tau_prior.shape(0) && tau.shape(0) > 0 && tau.shape(0) <= 64,
                "between 1 and 64 discrepancies");
        space_.column.resize(n * m);
        for (std::size_t c = 0; c < n; ++c) {
            for (std::size_t k = 0; k < m; ++k) {
                space_.column[k * n + c] = columns.data()[c * m + k];
            }
        }
        std::size_t previous = 0;
        space_.singles = space_.pairs = space_.triples = count;
        for (std::size_t q = 0; q < count; ++q) {
            std::size_t used = 0;
            for (std::size_t i = 0; i < steelyard::max_terms; ++i) {
                const auto term = terms.data()[q * steelyard::max_terms + i];
                require(term < space_.columns, "a candidate names a column that is not there");
                used += term >= 0 ? 1 : 0;
            }
            require(used >= previous, "candidates must be sorted by their number of terms");
            previous = used;
            if (used >= 1) {
                space_.singles = std::min(space_.singles, q);
            }
            if (used >= 2) {
                space_.pairs = std::min(space_.pairs, q);
            }
            if (used >= 3) {
                space_.triples = std::min(space_.triples, q);
            }
            const auto* t = terms.data() + q * steelyard::max_terms;
            space_.terms.push_back({t[0], t[1], t[2]});
            require(group.data()[q] >= 0, "groups count from 0");
            space_.groups = std::max(space_.groups, group.data()[q] + 1);
        }
        space_.log_prior.assign(log_prior.data(), log_prior.data() + count);
        space_.group.assign(group.data(), group.data() + count);
        space_.tau.assign(tau.data(), tau.data() + tau.shape(0));
        space_.log_tau_prior.assign(log_tau_prior.data(), log_tau_prior.data() + tau.shape(0));
        space_.negative_constant = negative_constant;
        space_.finish();
    }

    nb::tuple search(const Input<double, 2>& y, const Input<double, 2>& u2, const Input<double, 1>& law,
                     const Input<double, 1>& freedom, std::size_t keep, unsigned threads) const {
        const std::size_t n = y.shape(0), m = y.shape(1), scales = space_.tau.size();
        require(m == static_cast<std::size_t>(space_.points) && u2.shape(0) == n && u2.shape(1) == m &&
                    law.shape(0) == n && freedom.shape(0) == n,
                "y and u2 are functions x points of the space; law and freedom one a function");
        constexpr std::size_t d = steelyard::max_coefficients;
        auto candidate = output<std::int32_t>({n, keep});
        auto weight = output<double>({n, keep});
        auto own = output<double>({n, keep});
        auto chi2 = output<double>({n, keep});
        auto coefficient = output<double>({n, keep, d});
        auto covariance = output<double>({n, keep, d, d});
        auto group = output<double>({n, static_cast<std::size_t>(space_.groups)});
        auto variance = output<double>({n, m});
        auto scale = output<double>({n, scales});
        auto nu = output<double>({n, scales});
        auto evidence = output<double>({n});
        auto* pc = candidate.data();
        auto *pw = weight.data(), *po = own.data(), *px = chi2.data(), *pb = coefficient.data(),
             *pv = covariance.data();
        auto *pg = group.data(), *pvar = variance.data(), *ps = scale.data(), *pn = nu.data(),
             *pe = evidence.data();
        std::atomic<std::size_t> next{0};
        const auto work = [&]() {
            steelyard::Search search(space_);
            steelyard::Found found;
            constexpr std::size_t batch = 16;
            for (std::size_t from = next.fetch_add(batch); from < n; from = next.fetch_add(batch)) {
                for (std::size_t f = from; f < std::min(from + batch, n); ++f) {
                    search.run({y.data() + f * m, u2.data() + f * m, law.data()[f], freedom.data()[f]}, keep,
                               found);
                    std::copy(found.group_posterior.begin(), found.group_posterior.end(),
                              pg + f * found.group_posterior.size());
                    std::copy(found.variance.begin(), found.variance.end(), pvar + f * m);
                    std::copy(found.mixture.scale.begin(), found.mixture.scale.end(), ps + f * scales);
                    std::copy(found.mixture.freedom.begin(), found.mixture.freedom.end(), pn + f * scales);
                    pe[f] = found.log_evidence;
                    for (std::size_t i = 0; i < keep; ++i) {
                        const std::size_t at = f * keep + i;
                        if (i >= found.components.size()) {
                            pc[at] = -1;
                            continue;
                        }
                        const auto& component = found.components[i];
                        pc[at] = component.candidate;
                        pw[at] = component.weight;
                        po[at] = component.own_weight;
                        px[at] = component.chi2;
                        std::copy(component.coefficient.begin(), component.coefficient.end(), pb + at * d);
                        std::copy(component.covariance.begin(), component.covariance.end(), pv + at * d * d);
                    }
                }
            }
        };
        {
            nb::gil_scoped_release release;
            Helpers helpers;
            for (unsigned i = 1; i < threads; ++i) {
                helpers.threads.emplace_back(work);
            }
            work();
        }
        return nb::make_tuple(candidate, weight, own, chi2, coefficient, covariance, group, variance, scale,
                              nu, evidence);
    }

  private:
    steelyard::SearchSpace space_;
};

// Chunks of work that threads take from; helpers own their share of it, since they may come too late.
struct Shares {
    std::function<void(std::size_t, std::size_t)> work;
    std::size_t count;
    std::size_t chunk;
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};

    void take() {
        for (std::size_t from = next.fetch_add(chunk); from < count; from = next.fetch_add(chunk)) {
            const std::size_t to = std::min(from + chunk, count);
            work(from, to);
            if (done.fetch_add(to - from) + (to - from) == count) {
                done.notify_all();
            }
        }
    }
};

// All of a call takes less than a millisecond. On a busy machine a helper may not even start within that
// time, so nobody waits for it to end, only for the chunks that it took: `work` is not called after the
// return.
void in_parallel(std::size_t count, unsigned threads, std::function<void(std::size_t, std::size_t)> work) {
    constexpr std::size_t lanes = steelyard::resample_lanes;
    const std::size_t wanted = count / (16 * std::max<std::size_t>(1, threads));
    const auto shares = std::make_shared<Shares>();
    shares->work = std::move(work);
    shares->count = count;
    shares->chunk = std::max<std::size_t>(lanes, wanted / lanes * lanes);
    for (unsigned i = 1; i < threads; ++i) {
        std::thread([shares] { shares->take(); }).detach();
    }
    shares->take();
    for (std::size_t done = shares->done; done < count; done = shares->done) {
        shares->done.wait(done);
    }
}

std::span<const double> span_of(const Input<double, 1>& values) {
    return {values.data(), values.shape(0)};
}

auto resample(steelyard::Statistic statistic, std::span<const double> first, std::span<const double> second,
              std::uint64_t seed, std::size_t resamples, unsigned threads) {
    constexpr std::size_t most = 0xFFFFFFFFU;
    require(first.size() > 1 && first.size() <= most && second.size() <= most && second.size() != 1,
            "a sample of two values or more");
    require(statistic != steelyard::Statistic::paired_log_ratio || first.size() == second.size(),
            "pairs of values");
    auto t = output<double>({resamples});
    auto* out = t.data();
    const steelyard::Resampling what{statistic, first, second, seed};
    {
        nb::gil_scoped_release release;
        in_parallel(resamples, threads,
                    [&](std::size_t from, std::size_t to) { steelyard::studentise(what, from, to, out); });
    }
    return t;
}

auto discrepancy_share(const Input<double, 2>& chi2, const Input<std::int64_t, 2>& left,
                       const Input<double, 2>& scale, const Input<double, 2>& freedom,
                       const Input<double, 1>& log_prior) {
    const std::size_t n = chi2.shape(0), kept = chi2.shape(1), scales = scale.shape(1);
    require(left.shape(0) == n && left.shape(1) == kept && scale.shape(0) == n && freedom.shape(0) == n &&
                freedom.shape(1) == scales && log_prior.shape(0) == scales,
            "chi2 and left are functions x kept, scale and freedom functions x discrepancies");
    auto share = output<double>({n, kept, scales});
    auto* out = share.data();
    {
        nb::gil_scoped_release release;
        steelyard::ScaleMixture mixture;
        mixture.log_prior.assign(log_prior.data(), log_prior.data() + scales);
        for (std::size_t f = 0; f < n; ++f) {
            mixture.scale.assign(scale.data() + f * scales, scale.data() + (f + 1) * scales);
            mixture.freedom.assign(freedom.data() + f * scales, freedom.data() + (f + 1) * scales);
            steelyard::DiscrepancyShares shares(mixture);
            for (std::size_t i = 0; i < kept; ++i) {
                const std::size_t at = f * kept + i;
                shares.find(static_cast<int>(left.data()[at]), chi2.data()[at], out + at * scales);
            }
        }
    }
    return share;
}

nb::tuple predict(const Input<std::int32_t, 2>& candidate, const Input<std::int32_t, 2>& members,
                  const Input<std::int64_t, 2>& component, const Input<double, 3>& coefficient,
                  const Input<double, 2>& discrepancy, const Input<double, 2>& miss,
                  const Input<double, 1>& normal, const Input<double, 1>& basis, double beyond,
                  const Input<double, 1>& quantile) {
    constexpr std::size_t d = steelyard::max_coefficients;
    const std::size_t n = component.shape(0), draws = component.shape(1), kept = candidate.shape(1);
    require(candidate.shape(0) == n && miss.shape(0) == n && miss.shape(1) == kept &&
                coefficient.shape(0) == n && coefficient.shape(1) == draws && coefficient.shape(2) == d &&
                discrepancy.shape(0) == n && discrepancy.shape(1) == draws && normal.shape(0) == draws &&
                draws > 0 && members.shape(1) == steelyard::max_terms,
            "draws are functions x draws, misses functions x kept");
    auto value = output<double>({n, draws});
    auto found = output<double>({n, quantile.shape(0)});
    auto *pv = value.data(), *pq = found.data();
    {
        nb::gil_scoped_release release;
        const steelyard::Target target{members.data(), basis.data(), beyond};
        std::vector<double> disordered(draws);
        for (std::size_t f = 0; f < n; ++f) {
            steelyard::predict({candidate.data() + f * kept, component.data() + f * draws,
                                coefficient.data() + f * draws * d, discrepancy.data() + f * draws,
                                miss.data() + f * kept},
                               target, span_of(normal), pv + f * draws);
            std::copy_n(pv + f * draws, draws, disordered.begin());
            steelyard::quantiles(disordered, span_of(quantile), pq + f * quantile.shape(0));
        }
    }
    return nb::make_tuple(value, found);
}

// What of a posterior formulas are drawn from; see steelyard.scaling.posterior for what the arrays mean.
class Drawn {
  public:
    static constexpr std::size_t d = steelyard::max_coefficients;

    Drawn(const Input<double, 2>& weight, const Input<double, 2>& chi2, const Input<double, 3>& coefficient,
          const Input<double, 4>& covariance, const Input<std::int64_t, 2>& left,
          const Input<double, 2>& scale, const Input<double, 2>& freedom, const Input<double, 1>& log_prior)
        : functions(weight.shape(0)), weight_(weight.data()), chi2_(chi2.data()),
          coefficient_(coefficient.data()), covariance_(covariance.data()), left_(left.data()),
          scale_(scale.data()), freedom_(freedom.data()), kept_(weight.shape(1)), scales_(scale.shape(1)) {
        const std::size_t n = functions;
        require(kept_ > 0 && chi2.shape(0) == n && chi2.shape(1) == kept_ && coefficient.shape(0) == n &&
                    coefficient.shape(1) == kept_ && coefficient.shape(2) == d && covariance.shape(0) == n &&
                    covariance.shape(1) == kept_ && covariance.shape(2) == d && covariance.shape(3) == d &&
                    left.shape(0) == n && left.shape(1) == kept_,
                "components are functions x kept");
        require(scales_ > 0 && scale.shape(0) == n && freedom.shape(0) == n && freedom.shape(1) == scales_ &&
                    log_prior.shape(0) == scales_,
                "discrepancies are functions x scales");
        mixture_.log_prior.assign(log_prior.data(), log_prior.data() + scales_);
    }

    void run(steelyard::Drawing& drawing, std::size_t f, std::int64_t* component, std::int64_t* discrepancy,
             double* coefficient) {
        mixture_.scale.assign(scale_ + f * scales_, scale_ + (f + 1) * scales_);
        mixture_.freedom.assign(freedom_ + f * scales_, freedom_ + (f + 1) * scales_);
        const steelyard::Mixture from{kept_,
                                      weight_ + f * kept_,
                                      chi2_ + f * kept_,
                                      coefficient_ + f * kept_ * d,
                                      covariance_ + f * kept_ * d * d,
                                      left_ + f * kept_};
        drawing.run(from, mixture_, component, discrepancy, coefficient);
    }

    const std::size_t functions;

  private:
    const double *weight_, *chi2_, *coefficient_, *covariance_;
    const std::int64_t* left_;
    const double *scale_, *freedom_;
    std::size_t kept_, scales_;
    steelyard::ScaleMixture mixture_;
};

// The random numbers that formulas are drawn by.
steelyard::DrawNumbers numbers_of(const Input<double, 1>& place, const Input<double, 1>& pick,
                                  const Input<double, 1>& chi, const Input<double, 3>& normal,
                                  const Input<std::uint8_t, 1>& lenient) {
    const std::size_t draws = place.shape(0);
    require(pick.shape(0) == draws && chi.shape(0) == draws && lenient.shape(0) == draws &&
                normal.shape(1) == draws && normal.shape(2) == steelyard::max_coefficients,
            "random numbers are one of each a draw");
    return {span_of(place),
            span_of(pick),
            span_of(chi),
            {normal.data(), normal.size()},
            {lenient.data(), lenient.size()},
            normal.shape(0)};
}

nb::tuple draw(const Input<double, 2>& weight, const Input<double, 2>& chi2,
               const Input<double, 3>& coefficient, const Input<double, 4>& covariance,
               const Input<std::int64_t, 2>& left, const Input<double, 2>& scale,
               const Input<double, 2>& freedom, const Input<double, 1>& log_prior,
               const Input<double, 1>& place, const Input<double, 1>& pick, const Input<double, 1>& chi,
               const Input<double, 3>& normal, const Input<std::uint8_t, 1>& lenient) {
    constexpr std::size_t d = steelyard::max_coefficients;
    Drawn from(weight, chi2, coefficient, covariance, left, scale, freedom, log_prior);
    const auto numbers = numbers_of(place, pick, chi, normal, lenient);
    const std::size_t n = from.functions, draws = numbers.place.size();
    auto component = output<std::int64_t>({n, draws});
    auto discrepancy = output<std::int64_t>({n, draws});
    auto formula = output<double>({n, draws, d});
    auto *pc = component.data(), *pd = discrepancy.data();
    auto* pf = formula.data();
    {
        nb::gil_scoped_release release;
        steelyard::Drawing drawing(numbers);
        for (std::size_t f = 0; f < n; ++f) {
            from.run(drawing, f, pc + f * draws, pd + f * draws, pf + f * draws * d);
        }
    }
    return nb::make_tuple(component, discrepancy, formula);
}

// As `draw` and then `predict` at each target, but for the values, which take 10 kB a function and target.
auto foresee(const Input<double, 2>& weight, const Input<double, 2>& chi2,
             const Input<double, 3>& coefficient, const Input<double, 4>& covariance,
             const Input<std::int64_t, 2>& left, const Input<double, 2>& scale,
             const Input<double, 2>& freedom, const Input<double, 1>& log_prior,
             const Input<double, 1>& place, const Input<double, 1>& pick, const Input<double, 1>& chi,
             const Input<double, 3>& normal, const Input<std::uint8_t, 1>& lenient,
             const Input<std::int32_t, 2>& candidate, const Input<std::int32_t, 2>& members,
             const Input<double, 1>& tau, const Input<double, 2>& miss, const Input<double, 1>& off,
             const Input<double, 2>& basis, const Input<double, 1>& beyond,
             const Input<double, 1>& quantile) {
    constexpr std::size_t d = steelyard::max_coefficients;
    Drawn from(weight, chi2, coefficient, covariance, left, scale, freedom, log_prior);
    const auto numbers = numbers_of(place, pick, chi, normal, lenient);
    const std::size_t n = from.functions, draws = numbers.place.size(), kept = weight.shape(1);
    const std::size_t targets = beyond.shape(0), wanted = quantile.shape(0);
    require(candidate.shape(0) == n && candidate.shape(1) == kept && miss.shape(0) == n &&
                miss.shape(1) == kept && members.shape(1) == steelyard::max_terms &&
                tau.shape(0) == scale.shape(1) && off.shape(0) == draws && draws > 0 &&
                basis.shape(0) == targets,
            "candidates and misses are functions x kept, and a target has a basis");
    auto found = output<double>({n, targets, wanted});
    auto* out = found.data();
    {
        nb::gil_scoped_release release;
        steelyard::Drawing drawing(numbers);
        std::vector<std::int64_t> component(draws), which(draws);
        std::vector<double> formula(draws * d), discrepancy(draws), value(draws);
        for (std::size_t f = 0; f < n; ++f) {
            from.run(drawing, f, component.data(), which.data(), formula.data());
            for (std::size_t i = 0; i < draws; ++i) {
                discrepancy[i] = tau.data()[which[i]];
            }
            const steelyard::Formulas formulas{candidate.data() + f * kept, component.data(), formula.data(),
                                               discrepancy.data(), miss.data() + f * kept};
            for (std::size_t t = 0; t < targets; ++t) {
                const steelyard::Target target{members.data(), basis.data() + t * basis.shape(1),
                                               beyond.data()[t]};
                steelyard::predict(formulas, target, span_of(off), value.data());
                steelyard::quantiles(value, span_of(quantile), out + (f * targets + t) * wanted);
            }
        }
    }
    return found;
}

// The kept component that is shown as a formula: of the best class of leads where one there makes sense, else
// the most probable one that does; -1 where none does. `basis` has the columns at every point where values
// must not be negative, as far as coefficients are.
auto choose(const Input<std::int32_t, 2>& candidate, const Input<double, 2>& own,
            const Input<double, 3>& coefficient, const Input<std::int32_t, 2>& members,
            const Input<double, 1>& scale, const Input<std::uint8_t, 1>& shown,
            const Input<std::int64_t, 2>& kind, const Input<std::int64_t, 1>& best,
            const Input<double, 1>& rounding, const Input<double, 2>& basis) {
    constexpr std::size_t d = steelyard::max_coefficients, terms = steelyard::max_terms;
    const std::size_t n = candidate.shape(0), kept = candidate.shape(1), points = basis.shape(1);
    require(own.shape(0) == n && own.shape(1) == kept && coefficient.shape(0) == n &&
                coefficient.shape(1) == kept && coefficient.shape(2) == d && kind.shape(0) == n &&
                kind.shape(1) == kept && best.shape(0) == n && rounding.shape(0) == n,
            "components are functions x kept");
    require(members.shape(1) == terms && shown.shape(0) == members.shape(0) &&
                scale.shape(0) == basis.shape(0),
            "a column has a scale and values");
    auto chosen = output<std::int64_t>({n});
    auto* out = chosen.data();
    {
        nb::gil_scoped_release release;
        for (std::size_t f = 0; f < n; ++f) {
            double most = -1;
            out[f] = -1;
            for (std::size_t i = 0; i < kept; ++i) {
                const std::size_t at = f * kept + i;
                const auto which = candidate.data()[at];
                if (which < 0 || shown.data()[which] == 0) {
                    continue;
                }
                const double weight = own.data()[at] + (kind.data()[at] == best.data()[f] ? 2.0 : 0.0);
                const auto* member = members.data() + static_cast<std::size_t>(which) * terms;
                const double* b = coefficient.data() + at * d;
                if (weight > most && steelyard::makes_sense(member, b, scale.data(), basis.data(), points,
                                                            rounding.data()[f])) {
                    most = weight;
                    out[f] = static_cast<std::int64_t>(i);
                }
            }
        }
    }
    return chosen;
}

auto resample_groups(const Input<double, 1>& values, const Input<std::int64_t, 1>& start, std::uint64_t seed,
                     std::size_t resamples, unsigned threads) {
    const std::span<const std::int64_t> starts{start.data(), start.shape(0)};
    require(starts.size() > 2 && starts.front() == 0 &&
                starts.back() == static_cast<std::int64_t>(values.shape(0)),
            "two groups or more, from the first value to behind the last");
    for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
        require(starts[g] < starts[g + 1], "groups are not empty");
    }
    auto t = output<double>({resamples});
    auto* out = t.data();
    const auto all = span_of(values);
    {
        nb::gil_scoped_release release;
        in_parallel(resamples, threads, [&](std::size_t from, std::size_t to) {
            steelyard::studentise_groups(all, starts, seed, from, to, out);
        });
    }
    return t;
}

} // namespace

NB_MODULE(_kernels, m) {
    // The command line leaves what lies in circles at its end to the kernel, which frees it faster; it is no
    // leak, of which users would be told on stderr.
    nb::set_leak_warnings(false);
    m.doc() = "Compiled kernels of Steelyard.";
    steelyard::bind_special(m);
    nb::class_<Space>(m, "Space",
                      "Candidates over fixed points; finds what fits many functions measured there.")
        .def(nb::init<Input<double, 2>, Input<std::int32_t, 2>, Input<double, 1>, Input<std::int32_t, 1>,
                      Input<double, 1>, Input<double, 1>, double>(),
             "columns"_a, "terms"_a, "log_prior"_a, "group"_a, "tau"_a, "log_tau_prior"_a,
             "negative_constant"_a = 0.1)
        .def("search", &Space::search, "y"_a, "u2"_a, "law"_a, "freedom"_a, "keep"_a = 32, "threads"_a = 1,
             "Posterior components of each function; see steelyard.scaling.posterior for what the arrays "
             "mean.");
    m.def("discrepancy_share", &discrepancy_share, "chi2"_a, "left"_a, "scale"_a, "freedom"_a, "log_prior"_a,
          "Probability of each discrepancy given each kept component.");
    m.def("predict", &predict, "candidate"_a, "members"_a, "component"_a, "coefficient"_a, "discrepancy"_a,
          "miss"_a, "normal"_a, "basis"_a, "beyond"_a, "quantile"_a,
          "Values of drawn formulas at one point, and their quantiles.");
    m.def("draw", &draw, "weight"_a, "chi2"_a, "coefficient"_a, "covariance"_a, "left"_a, "scale"_a,
          "freedom"_a, "log_prior"_a, "place"_a, "pick"_a, "chi"_a, "normal"_a, "lenient"_a,
          "Component, discrepancy and coefficients of equally likely formulas; see "
          "steelyard.scaling.posterior.");
    m.def("foresee", &foresee, "weight"_a, "chi2"_a, "coefficient"_a, "covariance"_a, "left"_a, "scale"_a,
          "freedom"_a, "log_prior"_a, "place"_a, "pick"_a, "chi"_a, "normal"_a, "lenient"_a, "candidate"_a,
          "members"_a, "tau"_a, "miss"_a, "off"_a, "basis"_a, "beyond"_a, "quantile"_a,
          "Quantiles of the values of drawn formulas at each target.");
    m.def("choose", &choose, "candidate"_a, "own"_a, "coefficient"_a, "members"_a, "scale"_a, "shown"_a,
          "kind"_a, "best"_a, "rounding"_a, "basis"_a,
          "The component of each function that is shown as its formula, -1 where none makes sense.");
    using steelyard::Statistic;
    m.def(
        "studentised_mean",
        [](const Input<double, 1>& deviations, std::uint64_t seed, std::size_t resamples, unsigned threads) {
            return resample(Statistic::mean, span_of(deviations), {}, seed, resamples, threads);
        },
        "deviations"_a, "seed"_a, "resamples"_a = 10000, "threads"_a = 1,
        "(mean* - mean) / se* of each resample.");
    m.def(
        "studentised_difference",
        [](const Input<double, 1>& first, const Input<double, 1>& second, std::uint64_t seed,
           std::size_t resamples, unsigned threads) {
            return resample(Statistic::difference, span_of(first), span_of(second), seed, resamples, threads);
        },
        "first"_a, "second"_a, "seed"_a, "resamples"_a = 10000, "threads"_a = 1,
        "Of the difference of the means of two independent samples, given as deviations.");
    m.def(
        "studentised_log_ratio",
        [](const Input<double, 1>& first, const Input<double, 1>& second, bool paired, std::uint64_t seed,
           std::size_t resamples, unsigned threads) {
            const auto statistic = paired ? Statistic::paired_log_ratio : Statistic::log_ratio;
            return resample(statistic, span_of(first), span_of(second), seed, resamples, threads);
        },
        "first"_a, "second"_a, "paired"_a, "seed"_a, "resamples"_a = 10000, "threads"_a = 1,
        "Of the logarithm of the ratio of two means, given as deviations relative to them.");
    m.def(
        "studentised_groups", &resample_groups, "values"_a, "start"_a, "seed"_a, "resamples"_a = 10000,
        "threads"_a = 1,
        "Of the mean of group means, groups and then the values within them drawn: the two-level bootstrap.");
}
