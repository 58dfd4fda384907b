#include "scaling_module.hpp"

#include "arrays.hpp"
#include "draws.hpp"
#include "search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace steelyard {

namespace {

constexpr std::size_t terms_of_one = max_terms;
constexpr std::size_t coefficients = max_coefficients;

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

// What a search finds of many functions; see growth.scaling.posterior for what the arrays mean.
struct Findings {
    Output<std::int32_t> candidate;
    Output<double> weight, own_weight, chi2, coefficient, covariance, lead, variance, scale, freedom,
        log_evidence;

    Findings(const SearchSpace& space, std::size_t functions, std::size_t keep)
        : candidate(output<std::int32_t>({functions, keep})), weight(output<double>({functions, keep})),
          own_weight(output<double>({functions, keep})), chi2(output<double>({functions, keep})),
          coefficient(output<double>({functions, keep, coefficients})),
          covariance(output<double>({functions, keep, coefficients, coefficients})),
          lead(output<double>({functions, static_cast<std::size_t>(space.groups)})),
          variance(output<double>({functions, static_cast<std::size_t>(space.points)})),
          scale(output<double>({functions, space.tau.size()})),
          freedom(output<double>({functions, space.tau.size()})), log_evidence(output<double>({functions})) {}

    void fill(std::size_t f, const Found& search_result) const {
        std::ranges::copy(search_result.group_posterior, row_of(lead, f).begin());
        std::ranges::copy(search_result.variance, row_of(variance, f).begin());
        std::ranges::copy(search_result.mixture.scale, row_of(scale, f).begin());
        std::ranges::copy(search_result.mixture.freedom, row_of(freedom, f).begin());
        log_evidence.data()[f] = search_result.log_evidence;
        std::ranges::fill(row_of(candidate, f), -1);
        for (std::size_t i = 0; i < search_result.components.size(); ++i) {
            const Component& component = search_result.components[i];
            row_of(candidate, f)[i] = component.candidate;
            row_of(weight, f)[i] = component.weight;
            row_of(own_weight, f)[i] = component.own_weight;
            row_of(chi2, f)[i] = component.chi2;
            std::ranges::copy(component.coefficient,
                              row_of(coefficient, f).subspan(i * coefficients).begin());
            std::ranges::copy(component.covariance,
                              row_of(covariance, f).subspan(i * coefficients * coefficients).begin());
        }
    }
};

class Space {
  public:
    Space(const Input<double, 2>& columns, const Input<std::int32_t, 2>& terms,
          const Input<double, 1>& log_prior, const Input<std::int32_t, 1>& group, const Input<double, 1>& tau,
          const Input<double, 1>& log_tau_prior, double negative_constant) {
        const std::size_t n = columns.shape(0), m = columns.shape(1), count = terms.shape(0);
        require(terms.shape(1) == terms_of_one, "terms must have three columns");
        require(log_prior.shape(0) == count && group.shape(0) == count,
                "log_prior and group must have a value for each candidate");
        require(tau.shape(0) == log_tau_prior.shape(0) && tau.shape(0) > 0 && tau.shape(0) <= 64,
                "between 1 and 64 discrepancies");
        space_.columns = static_cast<int>(n);
        space_.points = static_cast<int>(m);
        space_.column.resize(n * m);
        for (std::size_t c = 0; c < n; ++c) {
            for (std::size_t k = 0; k < m; ++k) {
                space_.column[k * n + c] = row_of(columns, c)[k];
            }
        }
        for (std::size_t q = 0; q < count; ++q) {
            add_candidate(row_of(terms, q), values_of(group)[q]);
        }
        const auto of_used = [&](std::size_t least) {
            return static_cast<std::size_t>(std::ranges::lower_bound(used_, least) - used_.begin());
        };
        space_.singles = of_used(1);
        space_.pairs = of_used(2);
        space_.triples = of_used(3);
        space_.log_prior = copy_of(log_prior);
        space_.tau = copy_of(tau);
        space_.log_tau_prior = copy_of(log_tau_prior);
        space_.negative_constant = negative_constant;
        space_.finish();
    }

    Findings search(const Input<double, 2>& y, const Input<double, 2>& u2, const Input<double, 1>& law,
                    const Input<double, 1>& freedom, std::size_t keep, unsigned threads) const {
        const std::size_t n = y.shape(0), m = y.shape(1);
        require(m == static_cast<std::size_t>(space_.points) && has_shape(u2, {n, m}) &&
                    has_shape(law, {n}) && has_shape(freedom, {n}),
                "y and u2 are functions x points of the space; law and freedom one a function");
        Findings findings(space_, n, keep);
        std::atomic<std::size_t> next{0};
        const auto work = [&]() {
            Search search(space_);
            Found search_result;
            constexpr std::size_t batch = 16;
            for (std::size_t from = next.fetch_add(batch); from < n; from = next.fetch_add(batch)) {
                for (std::size_t f = from; f < std::min(from + batch, n); ++f) {
                    search.run({row_of(y, f), row_of(u2, f), values_of(law)[f], values_of(freedom)[f]}, keep,
                               search_result);
                    findings.fill(f, search_result);
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
        return findings;
    }

  private:
    static std::vector<double> copy_of(const Input<double, 1>& values) {
        return {values.data(), values.data() + values.size()};
    }

    void add_candidate(std::span<const std::int32_t> terms, std::int32_t group) {
        std::size_t used = 0;
        for (const std::int32_t term : terms) {
            require(term < space_.columns, "a candidate names a column that is not there");
            used += term >= 0 ? 1 : 0;
        }
        require(used_.empty() || used >= used_.back(), "candidates must be sorted by their number of terms");
        require(group >= 0, "groups count from 0");
        used_.push_back(used);
        space_.terms.push_back({terms[0], terms[1], terms[2]});
        space_.group.push_back(group);
        space_.groups = std::max(space_.groups, group + 1);
    }

    SearchSpace space_;
    std::vector<std::size_t> used_; // terms of each candidate
};

// The random numbers that formulas are drawn and predicted by: one of each a draw.
class Numbers {
  public:
    Numbers(Input<double, 1> place, Input<double, 1> pick, Input<double, 1> chi, Input<double, 3> normal,
            Input<std::uint8_t, 1> lenient, Input<double, 1> off)
        : place_(std::move(place)), pick_(std::move(pick)), chi_(std::move(chi)), normal_(std::move(normal)),
          lenient_(std::move(lenient)), off_(std::move(off)) {
        require(draws() > 0 && has_shape(pick_, {draws()}) && has_shape(chi_, {draws()}) &&
                    has_shape(lenient_, {draws()}) && has_shape(off_, {draws()}) &&
                    normal_.shape(1) == draws() && normal_.shape(2) == coefficients,
                "random numbers are one of each a draw");
    }

    std::size_t draws() const { return place_.shape(0); }
    DrawNumbers view() const {
        return {values_of(place_),  values_of(pick_),    values_of(chi_),
                values_of(normal_), values_of(lenient_), normal_.shape(0)};
    }
    std::span<const double> off() const { return values_of(off_); }

  private:
    Input<double, 1> place_, pick_, chi_;
    Input<double, 3> normal_;
    Input<std::uint8_t, 1> lenient_;
    Input<double, 1> off_;
};

// The kept components as formulas: the candidate of each, the terms of candidates, and what each misses by.
class Shapes {
  public:
    Shapes(Input<std::int32_t, 2> candidate, Input<std::int32_t, 2> members, Input<double, 2> miss)
        : candidate_(std::move(candidate)), members_(std::move(members)), miss_(std::move(miss)) {
        require(has_shape(miss_, {functions(), kept_count()}) && members_.shape(1) == terms_of_one,
                "candidates and misses are functions x kept, members have three terms");
    }

    std::size_t functions() const { return candidate_.shape(0); }
    std::size_t kept_count() const { return candidate_.shape(1); }
    std::span<const std::int32_t> members() const { return values_of(members_); }
    std::span<const std::int32_t> candidate(std::size_t f) const { return row_of(candidate_, f); }
    std::span<const double> miss(std::size_t f) const { return row_of(miss_, f); }

  private:
    Input<std::int32_t, 2> candidate_, members_;
    Input<double, 2> miss_;
};

// Points that values are asked for, and the quantiles of each.
class Targets {
  public:
    Targets(Input<double, 2> basis, Input<double, 1> beyond, Input<double, 1> quantile)
        : basis_(std::move(basis)), beyond_(std::move(beyond)), quantile_(std::move(quantile)) {
        require(has_shape(beyond_, {basis_.shape(0)}), "a target has a basis and how far beyond it lies");
    }

    std::size_t count() const { return beyond_.shape(0); }
    std::span<const double> quantile() const { return values_of(quantile_); }
    Target at(std::size_t t, const Shapes& shapes) const {
        return {shapes.members(), row_of(basis_, t), values_of(beyond_)[t]};
    }

  private:
    Input<double, 2> basis_;
    Input<double, 1> beyond_, quantile_;
};

// What of a posterior formulas are drawn from; see growth.scaling.posterior for what the arrays mean.
class Components {
  public:
    Components(Input<double, 2> weight, Input<double, 2> chi2, Input<double, 3> coefficient,
               Input<double, 4> covariance, Input<std::int64_t, 2> freedom_left, Input<double, 2> scale,
               Input<double, 2> freedom, const Input<double, 1>& log_prior)
        : weight_(std::move(weight)), chi2_(std::move(chi2)), coefficient_(std::move(coefficient)),
          covariance_(std::move(covariance)), freedom_left_(std::move(freedom_left)),
          scale_(std::move(scale)), freedom_(std::move(freedom)) {
        const std::size_t n = functions();
        require(kept_count() > 0 && has_shape(chi2_, {n, kept_count()}) &&
                    has_shape(coefficient_, {n, kept_count(), coefficients}) &&
                    has_shape(covariance_, {n, kept_count(), coefficients, coefficients}) &&
                    has_shape(freedom_left_, {n, kept_count()}),
                "components are functions x kept");
        require(discrepancies() > 0 && has_shape(scale_, {n, discrepancies()}) &&
                    has_shape(freedom_, {n, discrepancies()}) && has_shape(log_prior, {discrepancies()}),
                "discrepancies are functions x scales");
        log_prior_.assign(log_prior.data(), log_prior.data() + log_prior.size());
    }

    std::size_t functions() const { return weight_.shape(0); }
    std::size_t kept_count() const { return weight_.shape(1); }
    std::size_t discrepancies() const { return scale_.shape(1); }

    nb::object discrepancy_share() const {
        auto share = output<double>({functions(), kept_count(), discrepancies()});
        {
            nb::gil_scoped_release release;
            ScaleMixture mixture = empty_mixture();
            for (std::size_t f = 0; f < functions(); ++f) {
                load(f, mixture);
                DiscrepancyShares shares(mixture);
                for (std::size_t i = 0; i < kept_count(); ++i) {
                    shares.find(static_cast<int>(row_of(freedom_left_, f)[i]), row_of(chi2_, f)[i],
                                row_of(share, f).subspan(i * discrepancies(), discrepancies()));
                }
            }
        }
        return nb::cast(share);
    }

    nb::tuple draw(const Numbers& numbers) const {
        auto component = output<std::int64_t>({functions(), numbers.draws()});
        auto discrepancy = output<std::int64_t>({functions(), numbers.draws()});
        auto formula = output<double>({functions(), numbers.draws(), coefficients});
        {
            nb::gil_scoped_release release;
            const DrawNumbers by = numbers.view();
            Drawing drawing(by);
            ScaleMixture mixture = empty_mixture();
            for (std::size_t f = 0; f < functions(); ++f) {
                load(f, mixture);
                drawing.run(mixture_of(f), mixture, row_of(component, f), row_of(discrepancy, f),
                            row_of(formula, f));
            }
        }
        return nb::make_tuple(component, discrepancy, formula);
    }

    // As `draw` and then `predict` at each target, but for the values, which take 10 kB a function and
    // target.
    nb::object foresee(const Numbers& numbers, const Shapes& shapes, const Input<double, 1>& tau,
                       const Targets& targets) const {
        const std::size_t draws = numbers.draws(), wanted = targets.quantile().size();
        require(shapes.functions() == functions() && shapes.kept_count() == kept_count() &&
                    has_shape(tau, {discrepancies()}),
                "shapes are of the same functions, and tau has a value for each discrepancy");
        auto result = output<double>({functions(), targets.count(), wanted});
        {
            nb::gil_scoped_release release;
            const DrawNumbers by = numbers.view();
            Drawing drawing(by);
            ScaleMixture mixture = empty_mixture();
            std::vector<std::int64_t> component(draws), which(draws);
            std::vector<double> formula(draws * coefficients), discrepancy(draws), value(draws);
            for (std::size_t f = 0; f < functions(); ++f) {
                load(f, mixture);
                drawing.run(mixture_of(f), mixture, component, which, formula);
                for (std::size_t i = 0; i < draws; ++i) {
                    discrepancy[i] = values_of(tau)[static_cast<std::size_t>(which[i])];
                }
                for (std::size_t t = 0; t < targets.count(); ++t) {
                    predict({shapes.candidate(f), component, formula, discrepancy, shapes.miss(f)},
                            targets.at(t, shapes), numbers.off(), value);
                    quantiles(value, targets.quantile(), row_of(result, f).subspan(t * wanted, wanted));
                }
            }
        }
        return nb::cast(result);
    }

  private:
    ScaleMixture empty_mixture() const { return {{}, {}, log_prior_}; }
    void load(std::size_t f, ScaleMixture& mixture) const {
        const auto scale = row_of(scale_, f), freedom = row_of(freedom_, f);
        mixture.scale.assign(scale.begin(), scale.end());
        mixture.freedom.assign(freedom.begin(), freedom.end());
    }
    Mixture mixture_of(std::size_t f) const {
        return {row_of(weight_, f), row_of(chi2_, f), row_of(coefficient_, f), row_of(covariance_, f),
                row_of(freedom_left_, f)};
    }

    Input<double, 2> weight_, chi2_;
    Input<double, 3> coefficient_;
    Input<double, 4> covariance_;
    Input<std::int64_t, 2> freedom_left_;
    Input<double, 2> scale_, freedom_;
    std::vector<double> log_prior_;
};

nb::tuple predict_one(const Shapes& shapes, const Input<std::int64_t, 2>& component,
                      const Input<double, 3>& coefficient, const Input<double, 2>& discrepancy,
                      const Numbers& numbers, const Targets& targets) {
    const std::size_t n = shapes.functions(), draws = numbers.draws();
    require(has_shape(component, {n, draws}) && has_shape(coefficient, {n, draws, coefficients}) &&
                has_shape(discrepancy, {n, draws}),
            "draws are functions x draws");
    require(targets.count() == 1, "one target");
    auto value = output<double>({n, draws});
    auto result = output<double>({n, targets.quantile().size()});
    {
        nb::gil_scoped_release release;
        std::vector<double> disordered(draws);
        for (std::size_t f = 0; f < n; ++f) {
            predict({shapes.candidate(f), row_of(component, f), row_of(coefficient, f),
                     row_of(discrepancy, f), shapes.miss(f)},
                    targets.at(0, shapes), numbers.off(), row_of(value, f));
            std::ranges::copy(row_of(value, f), disordered.begin());
            quantiles(disordered, targets.quantile(), row_of(result, f));
        }
    }
    return nb::make_tuple(value, result);
}

// The kept component that is shown as a formula: of the best class of leads where one there makes sense, else
// the most probable one that does; -1 where none does. `basis` has the columns at every point where values
// must not be negative, as far as coefficients are.
auto choose(const Input<std::int32_t, 2>& candidate, const Input<double, 2>& own_weight,
            const Input<double, 3>& coefficient, const Input<std::int32_t, 2>& members,
            const Input<double, 1>& scale, const Input<std::uint8_t, 1>& is_shown,
            const Input<std::int64_t, 2>& kind, const Input<std::int64_t, 1>& best,
            const Input<double, 1>& rounding, const Input<double, 2>& basis) {
    const std::size_t n = candidate.shape(0), kept = candidate.shape(1);
    require(has_shape(own_weight, {n, kept}) && has_shape(coefficient, {n, kept, coefficients}) &&
                has_shape(kind, {n, kept}) && has_shape(best, {n}) && has_shape(rounding, {n}),
            "components are functions x kept");
    require(members.shape(1) == terms_of_one && has_shape(is_shown, {members.shape(0)}) &&
                scale.shape(0) == basis.shape(0),
            "a column has a scale and values");
    auto chosen = output<std::int64_t>({n});
    {
        nb::gil_scoped_release release;
        for (std::size_t f = 0; f < n; ++f) {
            double most = -1;
            std::int64_t& place = values_of(chosen)[f];
            place = -1;
            for (std::size_t i = 0; i < kept; ++i) {
                const std::int32_t candidate_number = row_of(candidate, f)[i];
                if (candidate_number < 0 ||
                    values_of(is_shown)[static_cast<std::size_t>(candidate_number)] == 0) {
                    continue;
                }
                const bool leads = row_of(kind, f)[i] == values_of(best)[f];
                const double weight = row_of(own_weight, f)[i] + (leads ? 2.0 : 0.0);
                if (weight > most &&
                    makes_sense(row_of(members, static_cast<std::size_t>(candidate_number)),
                                row_of(coefficient, f).subspan(i * coefficients, coefficients),
                                values_of(scale), values_of(basis), values_of(rounding)[f])) {
                    most = weight;
                    place = static_cast<std::int64_t>(i);
                }
            }
        }
    }
    return chosen;
}

} // namespace

void bind_scaling(nb::module_& module) {
    // The arrays have an owner, which Python then shares.
    constexpr auto shared = nb::rv_policy::automatic;
    nb::class_<Findings>(module, "Findings", "What a search found of each function.")
        .def_ro("candidate", &Findings::candidate, shared)
        .def_ro("weight", &Findings::weight, shared)
        .def_ro("own_weight", &Findings::own_weight, shared)
        .def_ro("chi2", &Findings::chi2, shared)
        .def_ro("coefficient", &Findings::coefficient, shared)
        .def_ro("covariance", &Findings::covariance, shared)
        .def_ro("lead", &Findings::lead, shared)
        .def_ro("variance", &Findings::variance, shared)
        .def_ro("scale", &Findings::scale, shared)
        .def_ro("freedom", &Findings::freedom, shared)
        .def_ro("log_evidence", &Findings::log_evidence, shared);
    nb::class_<Space>(module, "Space",
                      "Candidates over fixed points; finds what fits many functions measured there.")
        .def(nb::init<Input<double, 2>, Input<std::int32_t, 2>, Input<double, 1>, Input<std::int32_t, 1>,
                      Input<double, 1>, Input<double, 1>, double>(),
             "columns"_a, "terms"_a, "log_prior"_a, "group"_a, "tau"_a, "log_tau_prior"_a,
             "negative_constant"_a = 0.1)
        .def("search", &Space::search, "y"_a, "u2"_a, "law"_a, "freedom"_a, "keep"_a = 32, "threads"_a = 1,
             "Posterior components of each function.");
    nb::class_<Numbers>(module, "Numbers", "Random numbers, one of each a draw, that serve every function.")
        .def(nb::init<Input<double, 1>, Input<double, 1>, Input<double, 1>, Input<double, 3>,
                      Input<std::uint8_t, 1>, Input<double, 1>>(),
             "place"_a, "pick"_a, "chi"_a, "normal"_a, "lenient"_a, "off"_a);
    nb::class_<Shapes>(module, "Shapes", "Kept components as formulas, and what each misses by.")
        .def(nb::init<Input<std::int32_t, 2>, Input<std::int32_t, 2>, Input<double, 2>>(), "candidate"_a,
             "members"_a, "miss"_a);
    nb::class_<Targets>(module, "Targets", "Points that values are asked for, and the quantiles of each.")
        .def(nb::init<Input<double, 2>, Input<double, 1>, Input<double, 1>>(), "basis"_a, "beyond"_a,
             "quantile"_a);
    nb::class_<Components>(module, "Components", "What of a posterior formulas are drawn from.")
        .def(nb::init<Input<double, 2>, Input<double, 2>, Input<double, 3>, Input<double, 4>,
                      Input<std::int64_t, 2>, Input<double, 2>, Input<double, 2>, Input<double, 1>>(),
             "weight"_a, "chi2"_a, "coefficient"_a, "covariance"_a, "freedom_left"_a, "scale"_a, "freedom"_a,
             "log_prior"_a)
        .def("discrepancy_share", &Components::discrepancy_share,
             "Probability of each discrepancy given each kept component.")
        .def("draw", &Components::draw, "numbers"_a,
             "Component, discrepancy and coefficients of equally likely formulas.")
        .def("foresee", &Components::foresee, "numbers"_a, "shapes"_a, "tau"_a, "targets"_a,
             "Quantiles of the values of drawn formulas at each target.");
    module.def("predict", &predict_one, "shapes"_a, "component"_a, "coefficient"_a, "discrepancy"_a,
               "numbers"_a, "target"_a, "Values of drawn formulas at one point, and their quantiles.");
    module.def("choose", &choose, "candidate"_a, "own_weight"_a, "coefficient"_a, "members"_a, "scale"_a,
               "is_shown"_a, "kind"_a, "best"_a, "rounding"_a, "basis"_a,
               "The component of each function that is shown as its formula, -1 where none makes sense.");
}

} // namespace steelyard
