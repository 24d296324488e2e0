import type { InputField, ReadableOperation } from "../../lib/programs/api_document/reading.ts";
import type { JsonSchema } from "../../lib/programs/api_document/schemas.ts";
import type { Words } from "../../lib/words/words.ts";

interface Props<Value> {
  value: Value;
  words: Words["apiDocs"];
}

/** One route of the API: what it needs, what it returns, and an example. */
export function ApiOperation({ value, words }: Props<ReadableOperation>) {
  const { id, method, path, operation, fields } = value;
  const limit = operation["x-limit"];
  const isPublic = operation.security.some((scheme) => Object.keys(scheme).length === 0);
  const scope = operation.security.find(({ token }) => token)?.token[0];
  return (
    <section class="card operation" id={id}>
      <h3>{operation.summary}</h3>
      <p>
        <code class="route">
          <strong>{method}</strong> {path}
        </code>
      </p>
      {operation.description && (
        <p>
          <WithCode text={operation.description} />
        </p>
      )}
      <p class="meta">
        {isPublic ? words.isPublic : words.needsSession}
        {scope && <TokenScope scope={scope} words={words} />}
        {limit && ` · ${words.limit(limit.requests, Math.ceil(limit.seconds / 60))}`}
      </p>
      {fields.length > 0 && <Fields value={fields} words={words} />}
      <Responses value={value} words={words} />
      <Example value={value} words={words} />
    </section>
  );
}

function TokenScope({ scope, words }: { scope: string; words: Words["apiDocs"] }) {
  return (
    <span>
      {" "}
      {words.orToken} <code>{scope}</code>
    </span>
  );
}

function Fields({ value: fields, words }: Props<InputField[]>) {
  return (
    <table class="fields">
      <caption>{words.input}</caption>
      <thead>
        <tr>
          <th scope="col">{words.name}</th>
          <th scope="col">{words.rules}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">
              <code>{field.name}</code>
            </th>
            <td>
              {rulesOf(field, words)}
              {field.description && (
                <span class="meta field-note">
                  <WithCode text={field.description} />
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Responses({ value: { responses }, words }: Props<ReadableOperation>) {
  return (
    <table class="responses">
      <caption>{words.responses}</caption>
      <thead>
        <tr>
          <th scope="col">{words.status}</th>
          <th scope="col">{words.meaning}</th>
        </tr>
      </thead>
      <tbody>
        {responses.map(({ status, description }) => (
          <tr key={status}>
            <th scope="row">{status}</th>
            <td>
              <WithCode text={description} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Example({ value: { curl, isOpenedInBrowser, result }, words }: Props<ReadableOperation>) {
  return (
    <>
      <h4>{words.example}</h4>
      {isOpenedInBrowser && <p>{words.openInBrowser}</p>}
      <pre><code>{curl}</code></pre>
      {result && (
        <details>
          <summary>{words.exampleResponse(result.status)}</summary>
          <pre><code>{result.text}</code></pre>
        </details>
      )}
    </>
  );
}

/** The rules of a field in a few words, such as "required, 2 to 100 characters". */
function rulesOf({ place, isRequired, schema }: InputField, words: Words["apiDocs"]): string {
  const places = { path: words.inPath, query: words.inQuery, header: words.inHeader, body: null };
  const types = (schema.anyOf as JsonSchema[] | undefined) ?? [schema];
  const main = types[0];
  const isNullable = types.some(({ type }) => type === "null");
  return [
    places[place],
    isRequired && place !== "path" ? words.required : null,
    main.contentMediaType ? words.file : main.enum ? words.oneOf(main.enum.join(", ")) : main.format ?? main.type,
    main.maxLength === undefined ? null : words.lengths(main.minLength, main.maxLength),
    main.minimum === undefined ? null : words.bounds(main.minimum, main.maximum),
    isNullable ? words.orNull : null,
  ].filter(Boolean).join(", ");
}

/** A text whose parts between backticks are code. As a component, because Preact would escape an array of texts twice. */
function WithCode({ text }: { text: string }) {
  return text.split("`").map((part, index) => index % 2 === 1 ? <code key={index}>{part}</code> : part);
}
