/** A store of LangGraph.js that lasts: its items are documents, its search ranks them by words and meaning. */

import {
  BaseStore,
  type GetOperation,
  InvalidNamespaceError,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from "@langchain/langgraph-checkpoint";
import type { Cairn } from "../cairn.js";
import type { Change, Document, Documents } from "../documents.js";
import { packed, unpacked } from "../packing.js";
import type { Names } from "../place.js";
import { holds, parted } from "./filters.js";
import { ANY, collectionOf, nameOf, namespaceOf, pathsOf, plain, questionOf, readBack, together } from "./names.js";
import { putAll } from "./shelf.js";

export interface StoreOptions extends Pick<Names, "user" | "project"> {
  readonly cairn: Cairn;
  /** What is searched of values that say nothing else: paths such as `text` or `a.b[*].c`; all texts, unless told. */
  readonly fields?: readonly string[] | undefined;
}

const MOST_LABELS = 9;
const PAGE = 100;

/**
 * Keeps the items of a user, or of a project; a namespace has up to nine labels.
 *
 * The puts of one batch are one transaction, up to 40 and 1.4 MB. A search without a query comes in the order of keys.
 */
export class CairnStore extends BaseStore {
  readonly #documents: Documents;
  readonly #fields: readonly string[] | undefined;

  constructor({ cairn, user, project, fields }: StoreOptions) {
    super();
    this.#documents = cairn.documents({ user, project });
    this.#fields = fields;
  }

  /** Answer in the order of the operations; what they read is as it was before those that put. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    for (const operation of operations) check(operation);
    const gets = operations.filter(isGet).map(({ namespace, key }) => nameOf(namespace, key));
    const got = gets.length > 0 ? await this.#documents.getAll(gets) : [];
    const results: unknown[] = [];
    for (const operation of operations) {
      if (isGet(operation)) results.push(itemOf(got.shift()));
      else if ("namespacePrefix" in operation) results.push(await this.#search(operation));
      else if ("value" in operation) results.push(null);
      else results.push(await this.#list(operation as ListNamespacesOperation));
    }
    await this.#put(operations.filter((operation) => "value" in operation));
    return results as OperationResults<Op>;
  }

  /** Two puts of one item: the last holds. */
  async #put(operations: readonly PutOperation[]): Promise<void> {
    const last = new Map(operations.map((each) => [JSON.stringify([each.namespace, each.key]), each]));
    const changes = [...last.values()].map(({ namespace, key, value, index = this.#fields }): Change => {
      return { ...nameOf(namespace, key), value: packed(value), index: index ? index.flatMap(pathsOf) : index };
    });
    await putAll(this.#documents, changes);
  }

  async #search({
    namespacePrefix,
    filter = {},
    limit = 10,
    offset = 0,
    query,
  }: SearchOperation): Promise<SearchItem[]> {
    const collection = collectionOf(namespacePrefix);
    const [theirs, ours] = parted(filter);
    const asked = { filter: theirs, ...(query && { query: questionOf(query) }) };
    if (Object.keys(ours).length === 0) {
      return (await this.#documents.search(collection, { ...asked, limit, offset })).map(searchItemOf);
    }
    const found: Document[] = [];
    for (let from = 0; found.length < offset + limit; from += PAGE) {
      const page = await this.#documents.search(collection, { ...asked, limit: PAGE, offset: from });
      found.push(...page.filter((document) => holds(document.value, ours)));
      if (page.length < PAGE) break;
    }
    return found.slice(offset, offset + limit).map(searchItemOf);
  }

  async #list({
    matchConditions = [],
    maxDepth,
    limit = Number.POSITIVE_INFINITY,
    offset,
  }: ListNamespacesOperation): Promise<string[][]> {
    const paths = (type: string) => matchConditions.filter((each) => each.matchType === type).map(({ path }) => path);
    const prefix = together(paths("prefix"));
    const suffix = together(paths("suffix").map((path) => path.toReversed()));
    if (!prefix || !suffix) return [];
    // A suffix must not reach over the collection under which all is kept.
    const rest = Array.from({ length: Math.max(0, suffix.length - prefix.length) }, () => ANY);
    const found = await this.#documents.collections({
      prefix: collectionOf([...prefix, ...rest]),
      suffix: suffix.toReversed().map(plain),
      maxDepth: maxDepth === undefined ? undefined : Math.min(maxDepth, MOST_LABELS) + 1,
      limit,
      offset,
    });
    return found.map(namespaceOf);
  }
}

function isGet(operation: Operation): operation is GetOperation {
  return "namespace" in operation && "key" in operation && !("value" in operation);
}

/** Throw InvalidNamespaceError as the store in memory does. */
function check(operation: Operation): void {
  const options = { allowReservedRoot: true };
  if ("namespace" in operation) validateNamespace(operation.namespace, options);
  if ("namespacePrefix" in operation) validateNamespace(operation.namespacePrefix, { ...options, allowEmpty: true });
  const path =
    "namespace" in operation ? operation.namespace : "namespacePrefix" in operation ? operation.namespacePrefix : [];
  if (path.length > MOST_LABELS) throw new InvalidNamespaceError(`A namespace has at most ${MOST_LABELS} labels`);
}

function itemOf(document: Document | undefined): Item | null {
  if (!document) return null;
  const { createdAt, updatedAt, value } = document;
  const [namespace, key] = [namespaceOf(document.collection), readBack(document.key)];
  return { namespace, key, value: unpacked(value) as Item["value"], createdAt, updatedAt };
}

function searchItemOf(document: Document): SearchItem {
  const { score } = document;
  return { ...(itemOf(document) as Item), ...(score !== undefined && { score }) };
}
