// The theme, copy buttons on code, the menu on narrow screens, and the current section in the contents.
"use strict";
(() => {
  const theme = document.getElementById("theme");
  theme.value = document.documentElement.dataset.theme || "";
  theme.addEventListener("change", () => {
    if (theme.value) document.documentElement.dataset.theme = theme.value;
    else delete document.documentElement.dataset.theme;
    try {
      if (theme.value) localStorage.setItem("theme", theme.value);
      else localStorage.removeItem("theme");
    } catch { /* Not stored where the browser does not allow it. */ }
  });

  const menu = document.getElementById("menu");
  menu.addEventListener("click", () => {
    const open = document.body.classList.toggle("menu-open");
    menu.setAttribute("aria-expanded", String(open));
  });

  // Of an interactive session, only the input is copied.
  const codeOf = (block) => {
    const text = block.querySelector("pre").textContent.replace(/\n+$/, "");
    const lines = text.split("\n");
    if (!lines.some((line) => line.startsWith(">>> "))) return text;
    return lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4)).join("\n");
  };
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (!copied) throw new Error("not copied");
  };
  for (const block of document.querySelectorAll("main .code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      copy(codeOf(block)).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Failed"; });
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }

  const contents = document.querySelector("aside details");
  if (contents) {
    if (matchMedia("(max-width: 75rem)").matches) contents.open = false;
    const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
    const headings = [...document.querySelectorAll("article :is(h2, h3)")].filter((each) => links.has(each.id));
    const mark = () => {
      const above = headings.filter((each) => each.getBoundingClientRect().top < 120);
      const current = above.at(-1) || headings[0];
      links.forEach((link, id) => link.classList.toggle("current", id === current.id));
    };
    addEventListener("scroll", mark, { passive: true });
    mark();
  }
  const here = document.querySelector("nav a[aria-current]");
  const nav = document.getElementById("pages");
  if (here && nav) nav.scrollTop = Math.max(0, here.offsetTop - nav.clientHeight / 2);
})();
