// The searches of a case: what they are called, and the dialog in which one is named.

import { h, openDialog } from "../dom.js";

export const searchTitle = (search) => `${search.number}. ${search.title}`;

export const searchOptions = (searches) => searches.map((each) => h("option", { value: each.number }, searchTitle(each)));

/** Asks for the name of a search and stores it; resolves to whether it was changed. */
export async function nameSearch(api, search) {
  const name = h("input", { id: "search-name", maxlength: "300", placeholder: search.label, autocomplete: "off", value: search.name });
  const form = h("form", { method: "dialog" }, h("label", { class: "field" }, h("span", {}, `Search ${search.number}: ${search.label}`), name), h("button", { class: "primary", value: "save" }, "Save"));
  if (await openDialog("Name this search", form) !== "save" || name.value.trim() === search.name) return false;
  Object.assign(search, await api.nameSearch(search.number, name.value));
  api.tell({ search });
  return true;
}
