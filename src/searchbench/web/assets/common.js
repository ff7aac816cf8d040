// What all pages share: the API, elements, messages, the top of the page.

import { jobsBadge } from "./jobs.js";

const LONGEST_STATE = 4000;
const SLOW = 400; // milliseconds after which the page shows that it waits
const PATIENCE = 3; // how often a stream may break in a row before the server counts as gone

export class ApiError extends Error {
  constructor(status, kind, message) {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}

let asked = 0; // requests that are not answered yet

/** Ask the API; `query` becomes the query string, without what is undefined, null or "". */
export async function api(path, query = {}, options = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  for (const [name, value] of given) {
    if (String(value).length > LONGEST_STATE) {
      throw new ApiError(414, "BadRequest", `${name} has ${String(value).length.toLocaleString("en")} characters; at most ${LONGEST_STATE.toLocaleString("en")} are read`);
    }
  }
  const search = new URLSearchParams(given).toString();
  const waits = setTimeout(() => document.body.classList.add("waits"), SLOW);
  asked += 1;
  let response, answer;
  try {
    response = await fetch(`/api/v1${path}${search ? `?${search}` : ""}`, options);
    answer = await response.json().catch(() => null);
  } catch {
    throw new ApiError(0, "Offline", "the server does not answer; is it still running?");
  } finally {
    clearTimeout(waits);
    asked -= 1;
    if (!asked) document.body.classList.remove("waits");
  }
  if (!response.ok) {
    throw new ApiError(response.status, answer?.kind ?? "Error", answer?.detail ?? `the server answers ${response.status}`);
  }
  return answer;
}

export function post(path, body, method = "POST") {
  return api(path, {}, { method, headers: { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });
}

/** Make an element: attributes, `on...` handlers and children (texts or elements; null is left out). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") element.style.cssText = value; // as an attribute the pages' policy refuses it
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Return a drawing that the server made as an element; where there is none, the text. */
export function drawing(picture, text = "") {
  if (!picture) return h("pre", { class: "board" }, text);
  // Made by this server, which escapes every label; parsed as SVG, where nothing runs.
  const parsed = new DOMParser().parseFromString(picture, "image/svg+xml").documentElement;
  return document.importNode(parsed, true);
}

/** A drawing beside words that tell the same: readers of screens pass over it. */
export function silent(element) {
  element.setAttribute("aria-hidden", "true");
  return element;
}

export function badge(value, big = false) {
  return value ? h("span", { class: `badge ${value.kind}${big ? " big" : ""}` }, value.text) : null;
}

export const count = (number) => Number(number).toLocaleString("en");

export function showError(place, error, game = null) {
  const named = `${game}: `; // which the page says at its head
  place.replaceChildren(h("p", { class: "message", role: "alert" }, error.message.startsWith(named) ? error.message.slice(named.length) : error.message));
}

/** What the values of a database are, by the name of its rule. */
export const VALUES = { distance: "steps to the end", depth: "steps from the start", outcome: "who wins, and how soon", ending: "who wins", score: "points", won: "who wins" };

/** How a search can be made. */
export const METHODS = [
  { id: "idastar", text: "IDA*" }, { id: "astar", text: "A*" }, { id: "bestfirst", text: "greedy best-first" },
  { id: "enhanced", text: "IDA* with enhancements" }, { id: "featurespace", text: "feature-space search" },
  { id: "portfolio", text: "alpha-beta and proof numbers in turns" },
  { id: "pns", text: "proof-number search, with its tree" }, { id: "alphabeta", text: "alpha-beta" },
  { id: "dfpn", text: "depth-first proof-number search" }, { id: "graph", text: "proof numbers over a graph, forced sequences" },
  { id: "threats", text: "threats (go-moku)" }, { id: "conspiracy", text: "conspiracy numbers" },
  { id: "sss", text: "SSS*" }, { id: "bstar", text: "B*" }, { id: "mst", text: "MST*, the smallest solution tree" },
];

export function titled(text) {
  document.title = `${text} · searchbench`;
}

/** Run a page: its errors are shown in its place. */
export async function page(build) {
  top();
  const main = document.getElementById("main");
  try {
    const built = await build();
    if (built) main.replaceChildren(...[built].flat().filter((one) => one !== null));
  } catch (error) {
    titled(error.status === 404 ? "Not here" : "Not shown");
    main.replaceChildren(h("p", { class: "crumbs" }, h("a", { href: "/" }, "All databases and games")), h("h1", {}, error.status === 404 ? "There is no such page" : "This page cannot be shown"), h("p", { class: "message", role: "alert" }, error.message));
    if (!(error instanceof ApiError)) throw error;
  }
}

function top() {
  const bar = document.querySelector("header.top");
  const here = bar.dataset.page;
  const link = (address, name, pages) => h("a", { href: address, "aria-current": pages.includes(here) ? "page" : null }, name);
  const icon = h("img", { src: "/assets/icon.svg", alt: "", width: 24, height: 24 });
  const theme = h("button", { class: "bare", type: "button", title: "Light or dark", "aria-label": "Change between light and dark", onclick: changeTheme }, "◐");
  const main = document.getElementById("main");
  main.tabIndex = -1;
  bar.before(h("a", { class: "skip", href: "#main" }, "Skip to the content"));
  bar.replaceChildren(
    h("a", { class: "brand", href: "/" }, icon, h("span", {}, "searchbench")),
    h("nav", { "aria-label": "Pages" }, link("/", "Databases", ["home", "database", "position", "certificate"]), link("/search", "Search", ["search"]), link("/api", "API", ["api"])),
    theme, jobsBadge(),
  );
}

function changeTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
}

/** Follow a job until it has ended; `told` is called with each of its answers. Returns the last one. */
export function follow(id, told) {
  dispatchEvent(new Event("job"));
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/v1/jobs/${id}/events`);
    let broken = 0;
    events.onmessage = (event) => {
      broken = 0;
      const job = JSON.parse(event.data);
      told(job);
      if (job.status !== "running") {
        events.close();
        dispatchEvent(new Event("job"));
        resolve(job);
      }
    };
    events.onerror = () => {
      broken += 1;
      if (broken < PATIENCE && events.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      events.close();
      reject(new ApiError(0, "Offline", "the server does not answer any more"));
    };
  });
}

/** The name of the database or certificate in the page's address, also where that is encoded wrongly. */
export function nameInAddress() {
  const written = location.pathname.split("/")[2];
  try {
    return decodeURIComponent(written);
  } catch {
    return written; // the server has nothing of that name, and says so
  }
}

export const positionAddress = (database, state, side = 0, computer = null) =>
  `/databases/${encodeURIComponent(database)}/position?${new URLSearchParams({ state, ...(side ? { side } : {}), ...(computer === null ? {} : { computer }) })}`;
