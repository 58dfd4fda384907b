// Adds to the charts of a page: what a mark is, and only one treatment. Drawn they are without it. Nothing is fetched.
(() => {
  "use strict";
  const page = JSON.parse(document.getElementById("page-data").textContent);
  const bar = document.querySelector(".filter");
  const tip = document.getElementById("tip");
  const JITTER = 0.6180339887;

  // A column: numbers of a given type, or the differences of ascending ones.
  function decoded(column) {
    if (column.count) return Float64Array.from({ length: column.count }, (_, i) => column.first + i * column.step);
    const bytes = Uint8Array.from(atob(column.data), (char) => char.charCodeAt(0));
    const values = new globalThis[column.type](bytes.buffer);
    if (!column.differences) return values;
    let sum = 0;
    return Float64Array.from(values, (difference) => (sum += difference));
  }

  class Runs {
    constructor(packed) {
      this.packed = packed;
      for (const name of ["value", "sample", "trial", "block", "far"]) this[name] = decoded(packed[name]);
      this.context = packed.context ? decoded(packed.context) : null;
      this.waited = new Map(packed.waited);
      this.rows = [...new Set(packed.names)];
      this.drawn = new Set(this.far);
    }
    // Fields that charts have along their axes.
    at(i, field) {
      const { factor, medians } = this.packed;
      if (field === "run") return this.trial[i];
      if (field === "x") return this.value[i] / factor;
      const median = medians[this.sample[i]];
      return median ? 100 * (this.value[i] / median - 1) : 0;
    }
    says(i) {
      const { names, factor, unit } = this.packed;
      const waited = this.waited.get(this.trial[i]);
      const lines = [
        `treatment: ${names[this.sample[i]]}`,
        `value: ${+(this.value[i] / factor).toPrecision(6)} ${unit}`.trim(),
        `run: ${this.trial[i]}`,
        `block: ${this.block[i]}`,
        `waited for a CPU: ${waited ? `${+(100 * waited).toPrecision(2)} %` : "no"}`,
      ];
      if (this.context) lines.splice(4, 0, `context: ${this.context[i]}`);
      return lines.join("\n");
    }
    // The runs of a treatment that stand only in counts.
    others(treatment) {
      const rows = [];
      for (let i = 0; i < this.value.length; i++) {
        if (this.packed.treatments[this.sample[i]] === treatment && !this.drawn.has(i)) rows.push(i);
      }
      return rows;
    }
  }
  const runs = page.records.map((record) => record.runs && new Runs(record.runs));
  const recordOf = (element) => Number(element.closest("article").dataset.record);

  function bend({ kind, constant }, value) {
    if (kind === "log") return Math.log(value);
    return kind === "symlog" ? Math.sign(value) * Math.log1p(Math.abs(value) / constant) : value;
  }
  function place(scale, value) {
    const [low, high] = scale.domain.map((end) => bend(scale, end));
    const [start, end] = scale.places;
    return start + ((end - start) * (bend(scale, value) - low)) / (high - low);
  }

  // Every run of the chosen treatment, beside those that are drawn for all to see.
  function drawOthers(group, columns, treatment, number) {
    const [x, y] = [JSON.parse(group.dataset.x), JSON.parse(group.dataset.y)];
    const like = group.firstElementChild;
    for (const i of columns.others(treatment)) {
      const dot = like.cloneNode();
      let down;
      if (y.jitter) {
        const [low, high] = y.jitter;
        const row = columns.rows.indexOf(columns.packed.names[columns.sample[i]]);
        down = y.step * (row + (((columns.trial[i] * JITTER) % 1) - low) / (high - low));
      } else down = place(y, columns.at(i, y.field));
      dot.setAttribute("cx", place(x, columns.at(i, x.field)).toFixed(1));
      dot.setAttribute("cy", down.toFixed(1));
      dot.dataset.i = i;
      dot.dataset.t = number;
      dot.dataset.other = "";
      dot.removeAttribute("opacity");
      group.append(dot);
    }
  }

  function choose(record, treatment) {
    bar.dataset.chosen = treatment;
    bar.hidden = !treatment;
    const { treatments, shown } = page.records[record];
    const number = String(treatments.indexOf(treatment));
    bar.firstElementChild.textContent = treatment ? `Only ${shown[number]} is shown.` : "";
    for (const dot of document.querySelectorAll("[data-other]")) dot.remove();
    for (const article of document.querySelectorAll("article")) {
      const its = Boolean(treatment) && article.dataset.record === String(record);
      for (const row of article.querySelectorAll("tr[data-treatment]")) {
        row.hidden = its && row.dataset.treatment !== number;
      }
      for (const button of article.querySelectorAll("button.pick")) {
        button.setAttribute("aria-pressed", String(its && button.dataset.treatment === number));
      }
      for (const group of article.querySelectorAll("g[data-dim]")) {
        const marks = group.dataset.t ? [group] : group.querySelectorAll("[data-t]");
        for (const mark of marks) {
          if (its && mark.dataset.t !== number) mark.setAttribute("opacity", group.dataset.dim);
          else mark.removeAttribute("opacity");
        }
        if (its && group.dataset.x) drawOthers(group, runs[record], treatment, number);
      }
    }
  }

  // What a mark is: of a run by its place in the columns, of others by their title.
  function describe(mark) {
    if (mark.dataset.i) return runs[recordOf(mark)].says(Number(mark.dataset.i));
    const title = mark.querySelector("title");
    if (title) {
      mark.dataset.says = title.textContent;
      title.remove(); // the browser would show it, too
    }
    return mark.dataset.says;
  }
  function markAt(target) {
    if (!target.closest || !target.closest(".chart")) return null;
    return target.closest("[data-i], [data-says]") || (target.querySelector(":scope > title") && target);
  }

  document.addEventListener("pointermove", ({ target, clientX, clientY }) => {
    const mark = markAt(target);
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = describe(mark);
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(clientX + 12, innerWidth - width - 4))}px`;
    tip.style.top = `${clientY + 16 + height > innerHeight ? clientY - height - 8 : clientY + 16}px`;
  });

  document.addEventListener("click", async ({ target }) => {
    const mark = target.closest(".chart [data-t]");
    if (mark) {
      const record = recordOf(mark);
      const run = mark.matches("path[data-i]") && runs[record].trial[mark.dataset.i];
      const row = run && mark.closest("article").querySelector(`tr[data-run="${run}"]`);
      const treatment = page.records[record].treatments[Number(mark.dataset.t)];
      choose(record, !row && treatment === bar.dataset.chosen ? "" : treatment);
      if (row) {
        row.tabIndex = -1;
        row.focus(); // outlined, and scrolled to
      }
      return;
    }
    const button = target.closest("button");
    if (!button) return;
    if (button.classList.contains("pick")) {
      const record = recordOf(button);
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
    if (key !== "Escape") return;
    tip.hidden = true;
    if (bar.dataset.chosen) choose(0, "");
  });

  // Folded tables are opened on paper.
  const folded = () => document.querySelectorAll("details:not([open])");
  addEventListener("beforeprint", () => folded().forEach((each) => (each.open = each.dataset.printed = true)));
  addEventListener("afterprint", () =>
    document.querySelectorAll("details[data-printed]").forEach((each) => (each.open = false)),
  );

  // The name of a chart is a label, so that the browser does not show it wherever no mark is.
  for (const chart of document.querySelectorAll(".chart svg")) {
    const title = chart.querySelector(":scope > title");
    chart.setAttribute("aria-label", title.textContent);
    chart.setAttribute("aria-describedby", chart.querySelector(":scope > desc").id);
    chart.removeAttribute("aria-labelledby");
    title.remove();
  }
  // What does nothing without a script looks like nothing before.
  for (const button of document.querySelectorAll("button[hidden]")) button.hidden = false;
  for (const name of document.querySelectorAll("span.pick")) {
    const button = document.createElement("button");
    button.className = "pick";
    button.dataset.treatment = name.dataset.treatment;
    button.setAttribute("aria-pressed", "false");
    button.append(...name.childNodes);
    name.replaceWith(button);
  }
  document.documentElement.dataset.ready = "true";
})();
