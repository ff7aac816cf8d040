// The description of the API, read from its OpenAPI document.

import { api, h, page, titled } from "./common.js";

page(async () => {
  titled("API");
  const [description, databases] = await Promise.all([api("/openapi.json"), api("/databases")]);
  const example = `${location.origin}/api/v1/databases/${encodeURIComponent(databases[0]?.name ?? "eight")}/probe?state=start`;
  setTimeout(toProblem);
  const entries = Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, entry]) => ({ path, method, entry })));
  const paragraphs = description.info.description.split("\n\n").map((text) => h("p", {}, text.replaceAll("`", "")));
  return [
    h("h1", {}, "The JSON API"), ...paragraphs,
    h("p", { class: "muted" }, "The description for programs is ", h("a", { href: "/api/v1/openapi.json" }, "openapi.json"), ". An example: ", h("code", {}, `curl '${example}'`), "."),
    h("div", { class: "panel" }, entries.map((one) => endpoint(one, description.components.schemas))),
    h("div", { class: "panel", style: "margin-top:1.4rem" }, h("h2", {}, "Problems"), h("div", { class: "scroll" }, h("table", { id: "problems" }, h("thead", {}, h("tr", {}, h("th", {}, "kind"), h("th", {}, "status"), h("th", {}, "meaning"))),
      h("tbody", {}, Object.entries(description["x-problems"]).map(([kind, { status, meaning }]) => h("tr", { id: kind }, h("th", { scope: "row" }, h("code", {}, kind)), h("td", {}, String(status)), h("td", { class: "small" }, meaning))))))),
  ];
});

/** Go to the kind of problem that the address names: its `type` leads here. */
function toProblem() {
  const row = document.getElementById(location.hash.slice(1));
  row?.classList.add("shown");
  row?.scrollIntoView({ block: "center" });
}

function endpoint({ path, method, entry }, schemas) {
  const row = (name, schema, meaning) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, name)), h("td", { class: "small" }, limits(schema)), h("td", { class: "small muted" }, meaning));
  const sent = named(entry.requestBody, schemas);
  const rows = [
    ...(entry.parameters ?? []).map((parameter) => row(parameter.name, parameter.schema, parameter.description ?? "")),
    ...Object.entries(sent?.properties ?? {}).map(([name, schema]) => row(name, schema, `In the body${sent.required?.includes(name) ? "; required" : ""}.`)),
  ];
  const answer = named(entry.responses[200] ?? entry.responses[202], schemas);
  return h("section", { class: "endpoint" },
    h("h2", { style: "margin-bottom:0.2rem" }, h("span", { class: "method" }, method.toUpperCase()), h("code", { class: "path" }, path)),
    h("p", { class: "muted", style: "margin:0 0 0.4rem" }, entry.summary),
    rows.length ? h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, rows))) : null,
    answer ? h("p", { class: "small muted", style: "margin:0.4rem 0 0" }, answer.many ? "Answers a list of: " : "Answers: ", h("code", {}, Object.keys(answer.properties).join(", "))) : null);
}

/** The schema of a body or an answer of JSON; `many` where it is a list of such. */
function named(holder, schemas) {
  const schema = holder?.content?.["application/json"]?.schema;
  const at = schema?.$ref ?? schema?.items?.$ref;
  return at ? { ...schemas[at.split("/").pop()], many: Boolean(schema.items) } : null;
}

function limits(schema) {
  const types = (schema.anyOf ?? [schema]).map((one) => one.type).filter((type) => type !== "null");
  const bounds = schema.anyOf?.[0] ?? schema;
  const words = [types.join(" or "), bounds.minimum !== undefined ? `from ${bounds.minimum}` : "", bounds.maximum !== undefined ? `to ${bounds.maximum}` : "", bounds.maxLength !== undefined ? `up to ${bounds.maxLength} characters` : "", schema.default !== undefined && schema.default !== null ? `default ${JSON.stringify(schema.default)}` : ""];
  return words.filter(Boolean).join(", ");
}
