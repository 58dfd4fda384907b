// Texts of the charts that lines or other texts cross, and those that are cut off: a sentence for each.
() => {
  const problems = [];
  const meets = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  for (const svg of document.querySelectorAll(".chart svg")) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    const name = svg.parentElement.id;
    const factor = frame.width / svg.viewBox.baseVal.width;
    // Boxes of fonts are higher than letters: a line may come near, but not under these.
    const texts = [...svg.querySelectorAll("text")].map((text) => {
      const box = text.getBoundingClientRect();
      const turned = text.hasAttribute("transform");
      const less = turned ? 0 : 0.2 * box.height;
      return { said: text.textContent, turned, left: box.left, right: box.right, top: box.top + less, bottom: box.bottom - less };
    });
    for (const text of texts) {
      if (text.left < frame.left - 1 || text.right > frame.right + 1) problems.push(`${name}: ${text.said} is cut off`);
    }
    texts.forEach((text, i) => {
      if (text.turned) return;
      for (const other of texts.slice(i + 1)) {
        if (!other.turned && meets(text, other)) problems.push(`${name}: ${text.said} on ${other.said}`);
      }
    });
    const lines = [];
    for (const shape of svg.querySelectorAll("line, path[d^=M]")) {
      if (shape.getAttribute("fill") !== "none" && shape.tagName === "path" && !shape.closest("[stroke]")) continue;
      const matrix = shape.getScreenCTM();
      const at = (x, y) => new DOMPoint(x, y).matrixTransform(matrix);
      const add = (x1, y1, x2, y2) => {
        const [a, b] = [at(x1, y1), at(x2, y2)];
        const upright = x1 === x2, level = y1 === y2;
        if (upright || level) {
          lines.push({ left: Math.min(a.x, b.x) - 1.01, right: Math.max(a.x, b.x) + 1.01, top: Math.min(a.y, b.y) - 1.01, bottom: Math.max(a.y, b.y) + 1.01 });
        }
      };
      if (shape.tagName === "line") {
        add(...["x1", "y1", "x2", "y2"].map((key) => Number(shape.getAttribute(key))));
      } else {
        for (const [, x, y, kind, c, d] of shape.getAttribute("d").matchAll(/M([-\d.]+) ([-\d.]+)([VHL])([-\d.]+) ?([-\d.]+)?(?=M|$)/g)) {
          add(+x, +y, kind === "V" ? +x : +c, kind === "V" ? +c : kind === "H" ? +y : +d);
        }
      }
    }
    for (const text of texts) {
      if (!text.turned && lines.some((line) => meets(text, line))) problems.push(`${name}: ${text.said} on a line`);
    }
  }
  return problems;
}
