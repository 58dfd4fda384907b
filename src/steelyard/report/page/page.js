// Draws the charts of a page from its data, and filters it by treatment. Nothing is fetched.
(() => {
  "use strict";
  const page = JSON.parse(document.getElementById("page-data").textContent);
  const bar = document.querySelector(".filter");
  const drawn = [];

  // A column: numbers of a given type, or the differences of ascending ones.
  function decoded(column) {
    if (column.count) return Float64Array.from({ length: column.count }, (_, i) => column.first + i * column.step);
    const bytes = Uint8Array.from(atob(column.data), (char) => char.charCodeAt(0));
    const values = new globalThis[column.type](bytes.buffer);
    if (!column.differences) return values;
    let sum = 0;
    return Float64Array.from(values, (difference) => (sum += difference));
  }

  // Rows of columns; of a text that repeats, the different ones and where each stands.
  function rowsOf(columns) {
    const names = Object.keys(columns);
    const values = names.map((name) => {
      const column = columns[name];
      return Array.isArray(column) ? column : column.at.map((i) => column.of[i]);
    });
    const count = values.length ? values[0].length : 0;
    const row = (i) => {
      const entries = names.map((name, k) => [name, values[k][i]]);
      return Object.fromEntries(entries.filter(([, value]) => value !== null));
    };
    return Array.from({ length: count }, (_, i) => row(i));
  }

  class Runs {
    constructor(packed) {
      this.packed = packed;
      for (const name of ["value", "sample", "trial", "block", "far"]) this[name] = decoded(packed[name]);
      this.context = packed.context ? decoded(packed.context) : null;
      this.waited = new Map(packed.waited);
    }
    row(i) {
      const { names, treatments, medians, factor, unit } = this.packed;
      const sample = this.sample[i];
      const value = this.value[i];
      const waited = this.waited.get(this.trial[i]);
      return {
        run: this.trial[i],
        block: this.block[i],
        context: this.context ? this.context[i] : "–",
        name: names[sample],
        treatment: treatments[sample],
        value,
        deviation: medians[sample] ? 100 * (value / medians[sample] - 1) : 0,
        shown: `${+(value / factor).toPrecision(6)} ${unit}`.trim(),
        waited: waited ?? null,
        wait: waited ? `${+(100 * waited).toPrecision(2)} %` : "no",
      };
    }
    // Those that stand for all, or every run of the treatment that is chosen.
    rows(chosen) {
      const rows = Array.from(this.far, (i) => this.row(i));
      if (!chosen || this.far.length === this.value.length) return rows;
      const left = rows.filter((row) => row.treatment !== chosen);
      for (let i = 0; i < this.value.length; i++) {
        if (this.packed.treatments[this.sample[i]] === chosen) left.push(this.row(i));
      }
      return left;
    }
  }

  async function draw(id, chart, runs, record) {
    const place = document.getElementById(id);
    const datasets = Object.fromEntries(
      Object.entries(chart.data).map(([name, columns]) => [name, rowsOf(columns)]),
    );
    if (chart.runs) datasets.runs = runs.rows("");
    // Names above rows leave room for what stands at their ends.
    const axisY = { ...page.config.axisY, labelLimit: Math.max(120, place.clientWidth - 150) };
    const spec = {
      $schema: page.schema,
      background: "transparent",
      ...chart.spec,
      width: "container",
      autosize: { type: "fit-x", contains: "padding" },
      datasets,
      params: [{ name: page.chosen, value: "" }],
      config: { ...page.config, axisY, aria: false },
    };
    const options = {
      actions: false,
      ast: true, // expressions are interpreted: the policy of the page allows no eval
      renderer: "svg",
      mode: "vega-lite",
      defaultStyle: false,
      tooltip: { disableDefaultStyle: true },
    };
    try {
      const { view } = await vegaEmbed(place, spec, options);
      view.addEventListener("click", (_, item) => {
        const treatment = item && item.datum && item.datum.treatment;
        // Of problem instances taken together there is no treatment of that name to choose.
        if (!page.records[record].treatments.includes(treatment)) return;
        const row = item.datum.waited && place.closest("article").querySelector(`tr[data-run="${item.datum.run}"]`);
        choose(record, !row && treatment === bar.dataset.chosen ? "" : treatment);
        if (row) {
          row.tabIndex = -1;
          row.focus(); // outlined, and scrolled to
        }
      });
      // The place has the name of the chart, and the table its numbers: marks one by one are noise.
      place.querySelector("svg").setAttribute("aria-hidden", "true");
      place.dataset.drawn = "true";
      if (!drawn.length) performance.mark("first-chart");
      drawn.push({ view, chart, runs, record });
    } catch (error) {
      place.textContent = `This chart could not be drawn: ${error.message}`;
      console.error(error);
    }
  }

  async function choose(record, treatment) {
    bar.dataset.chosen = treatment;
    bar.hidden = !treatment;
    const { treatments, shown } = page.records[record];
    const number = String(treatments.indexOf(treatment));
    bar.firstElementChild.textContent = treatment ? `Only ${shown[number]} is shown.` : "";
    for (const article of document.querySelectorAll("article")) {
      const its = article.dataset.record === String(record);
      for (const row of article.querySelectorAll("tr[data-treatment]")) {
        row.hidden = Boolean(treatment) && its && row.dataset.treatment !== number;
      }
      for (const button of article.querySelectorAll("button.pick")) {
        const pressed = Boolean(treatment) && its && button.dataset.treatment === number;
        button.setAttribute("aria-pressed", String(pressed));
      }
    }
    for (const { view, chart, runs, record: owner } of drawn) {
      const its = owner === record ? treatment : "";
      view.signal(page.chosen, its);
      if (chart.runs) view.data("runs", runs.rows(its));
      await view.runAsync();
    }
  }

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    if (button.classList.contains("pick")) {
      const record = Number(button.closest("article").dataset.record);
      const treatment = page.records[record].treatments[Number(button.dataset.treatment)];
      choose(record, button.getAttribute("aria-pressed") === "true" ? "" : treatment);
    } else if (button.classList.contains("copy")) {
      const text = document.getElementById(button.dataset.copies);
      const label = button.textContent;
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected: copy it with Ctrl-C";
      }
      setTimeout(() => (button.textContent = label), 2000);
    } else if (bar.contains(button)) {
      choose(0, "");
    }
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && bar.dataset.chosen) choose(0, "");
  });

  // Folded tables are opened on paper.
  const folded = () => document.querySelectorAll("details:not([open])");
  addEventListener("beforeprint", () => folded().forEach((each) => (each.open = each.dataset.printed = true)));
  addEventListener("afterprint", () =>
    document.querySelectorAll("details[data-printed]").forEach((each) => (each.open = false)),
  );

  (async () => {
    for (const [record, { charts, runs }] of page.records.entries()) {
      const columns = runs && new Runs(runs); // a history has records, and no runs
      for (const [id, chart] of Object.entries(charts)) await draw(id, chart, columns, record);
    }
    document.documentElement.dataset.ready = "true";
  })();
})();
