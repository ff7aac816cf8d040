// The description of the API, read from its OpenAPI document.

import { api, h, page, titled } from "./common.js";

page(async () => {
  titled("API");
  const description = await api("/openapi.json");
  const entries = Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, entry]) => ({ path, method, entry })));
  const paragraphs = description.info.description.split("\n\n").map((text) => h("p", {}, text.replaceAll("`", "")));
  return [
    h("h1", {}, "The JSON API"), ...paragraphs,
    h("p", { class: "muted" }, "The description for programs is ", h("a", { href: "/api/v1/openapi.json" }, "openapi.json"), ". An example: ", h("code", {}, "curl 'http://127.0.0.1:8017/api/v1/databases/eight/probe?state=start'"), "."),
    h("div", { class: "panel" }, entries.map(endpoint)),
  ];
});

function endpoint({ path, method, entry }) {
  const rows = (entry.parameters ?? []).map((parameter) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, parameter.name)), h("td", { class: "small" }, limits(parameter.schema)), h("td", { class: "small muted" }, parameter.description ?? "")));
  return h("section", { class: "endpoint" },
    h("h2", { style: "margin-bottom:0.2rem" }, h("span", { class: "method" }, method.toUpperCase()), h("code", { class: "path" }, path)),
    h("p", { class: "muted", style: "margin:0 0 0.4rem" }, (entry.description ?? entry.summary ?? "").split("\n")[0]),
    rows.length ? h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, rows))) : null);
}

function limits(schema) {
  const types = (schema.anyOf ?? [schema]).map((one) => one.type).filter((type) => type !== "null");
  const bounds = schema.anyOf?.[0] ?? schema;
  const words = [types.join(" or "), bounds.minimum !== undefined ? `from ${bounds.minimum}` : "", bounds.maximum !== undefined ? `to ${bounds.maximum}` : "", bounds.maxLength !== undefined ? `up to ${bounds.maxLength} characters` : "", schema.default !== undefined && schema.default !== null ? `default ${JSON.stringify(schema.default)}` : ""];
  return words.filter(Boolean).join(", ");
}
