// The jobs of the server, in the header of every page: how many run, what they do, and a button that stops each.

import { api, count, h, positionAddress, post } from "./common.js";

const EVERY = 2000; // milliseconds between two looks while something runs
const SELDOM = 15000; // and while nothing does

/** Return the badge and its list, which look after themselves. */
export function jobsBadge() {
  const summary = h("summary", {}, "Jobs");
  const list = h("ul", {});
  const whole = h("details", { class: "jobs", hidden: true, id: "jobs" }, summary, list);
  const look = async () => {
    let jobs;
    try {
      jobs = await api("/jobs");
    } catch {
      whole.hidden = true; // a server that only reads, or none
      return;
    }
    const running = jobs.filter((job) => job.status === "running").length;
    whole.hidden = jobs.length === 0;
    summary.replaceChildren("Jobs", ...(running ? [" ", h("span", { class: "badge number" }, String(running))] : []));
    summary.setAttribute("aria-label", `Jobs, ${running} running`);
    list.replaceChildren(...jobs.map(item));
    clearTimeout(whole.timer);
    whole.timer = setTimeout(look, running ? EVERY : SELDOM);
  };
  const item = (job) => {
    const what = `${job.kind} ${job.request.game ?? job.request.database ?? ""}`;
    const stop = h("button", { type: "button", "aria-label": `Stop ${what}`, onclick: () => post(`/jobs/${job.id}`, undefined, "DELETE").catch(() => {}).then(look) }, "Stop");
    return h("li", { "data-job": job.id }, h("a", { href: `/search?job=${job.id}` }, what), h("span", { class: "muted small" }, ` ${told(job)} `), job.status === "running" ? stop : null);
  };
  addEventListener("job", look);
  addEventListener("click", (event) => { if (!whole.contains(event.target)) whole.open = false; });
  whole.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !whole.open) return;
    whole.open = false;
    summary.focus();
  });
  setTimeout(look);
  return whole;
}

/** What a job is doing, or how it has ended. */
export function told(job) {
  const seconds = `${job.seconds.toFixed(1)} s`;
  if (job.status !== "running") return `${job.status}, ${seconds}`;
  const { done, total } = job.progress;
  if (!job.progress.stage) return `starting, ${seconds}`;
  const stage = job.progress.stage === "part all" ? "all positions" : job.progress.stage; // a game of one part
  const nodes = done && (job.kind === "search" || job.kind === "prove") ? `, ${count(done)} nodes` : ""; // else the stage tells
  return `${stage}${total ? `, ${Math.floor((100 * done) / total)}%` : nodes}, ${seconds}`;
}

/** What shows how far a job is, with a button that stops it: its elements, and `tell(job)`. */
export function progress() {
  let id = null;
  const stage = h("div", { class: "small" }, "starting …");
  const bar = h("progress", { max: 100, "aria-label": "How far the job is" });
  const stop = h("button", { type: "button", onclick: () => id && post(`/jobs/${id}`, undefined, "DELETE").catch((error) => { stage.textContent = error.message; }) }, "Stop");
  const tell = (job) => {
    id = job.id;
    stage.textContent = told(job);
    if (job.progress.total) {
      bar.max = job.progress.total;
      bar.value = job.progress.done;
    } else bar.removeAttribute("value");
  };
  return { all: [h("div", { class: "spread" }, stage, stop), bar], tell };
}

/** The result of a job that solved or verified, with links to it. */
export function outcome(job) {
  if (job.status !== "done") return h("p", { class: job.error ? "message" : "muted small", role: job.error ? "alert" : null }, job.error?.message ?? job.status);
  if (job.kind === "verify") return h("p", { class: "message calm" }, `${count(job.result.states)} positions checked: ${count(job.result.faults)} faults.`);
  const { database, states, reachable } = job.result;
  return h("p", { class: "message calm small" }, `${count(states)} states, ${count(reachable)} with a value, ${job.seconds.toFixed(1)} s: `, h("a", { href: positionAddress(database, "start") }, "look at it"), " or ", h("a", { href: `/databases/${encodeURIComponent(database)}` }, "at the database"));
}
