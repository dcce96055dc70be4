"use strict";
for (const table of document.querySelectorAll("table[data-sort]")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const language = document.documentElement.lang;
  const key = (row, column) => {
    const cell = row.cells[column];
    const figure = cell.querySelector("data");
    const number = parseFloat(figure ? figure.value : cell.textContent);
    return Number.isNaN(number) ? cell.textContent.trim() : number;
  };
  const compare = (one, other) => {
    if (one === other) return 0;
    if (one === "") return 1;
    if (other === "") return -1;
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one).localeCompare(String(other), language);
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((one, other) => {
        const [a, b] = [key(one, column), key(other, column)];
        if (a === "" || b === "") return compare(a, b);
        return down ? compare(b, a) : compare(a, b);
      });
      body.append(...rows);
    });
  });
  const chosen = new Map();
  const filters = document.createElement("div");
  filters.className = "filters";
  const told = document.createElement("output");
  const filter = () => {
    let shown = 0;
    for (const row of body.rows) {
      const fits = [...chosen].every(([column, word]) =>
        word === "" || row.cells[column].textContent.trim().split(", ").includes(word));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    told.textContent = table.dataset.count.replace("#", shown).replace("#", body.rows.length);
  };
  heads.forEach((head, column) => {
    if (!("filter" in head.dataset)) return;
    const words = new Set();
    for (const row of body.rows) {
      for (const word of row.cells[column].textContent.trim().split(", ")) words.add(word);
    }
    words.delete("");
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.setAttribute("aria-label", head.textContent.trim());
    select.add(new Option(table.dataset.all, ""));
    for (const word of [...words].sort((a, b) => a.localeCompare(b, language))) {
      select.add(new Option(word, word));
    }
    label.append(head.textContent.trim(), select);
    filters.append(label);
    chosen.set(column, "");
    select.addEventListener("change", () => { chosen.set(column, select.value); filter(); });
  });
  if (chosen.size > 0) {
    filters.append(told);
    table.parentElement.before(filters);
    filter();
  }
}
