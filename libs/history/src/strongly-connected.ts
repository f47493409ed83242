/** Circles in a graph: its strongly connected components of two nodes and more, by Tarjan, without recursion. */

export type Edges<Node> = ReadonlyMap<Node, ReadonlySet<Node>>;

interface Visit<Node> {
  readonly node: Node;
  readonly left: Iterator<Node>;
}

export function stronglyConnected<Node>(edges: Edges<Node>): readonly (readonly Node[])[] {
  const walk = new Walk(edges);
  for (const node of edges.keys()) walk.from(node);
  return walk.circles;
}

class Walk<Node> {
  readonly circles: (readonly Node[])[] = [];
  readonly #edges: Edges<Node>;
  readonly #index = new Map<Node, number>();
  /** The lowest index that is reached from a node by way of nodes that are still open. */
  readonly #low = new Map<Node, number>();
  readonly #open: Node[] = [];
  readonly #isOpen = new Set<Node>();

  constructor(edges: Edges<Node>) {
    this.#edges = edges;
  }

  from(root: Node): void {
    if (this.#index.has(root)) return;
    const path = [this.#enter(root)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const next = visit.left.next();
      if (next.done === true) {
        path.pop();
        this.#leave(visit.node, path.at(-1)?.node);
      } else if (!this.#index.has(next.value)) path.push(this.#enter(next.value));
      else if (this.#isOpen.has(next.value)) this.#lower(visit.node, this.#index.get(next.value) ?? 0);
    }
  }

  #enter(node: Node): Visit<Node> {
    this.#index.set(node, this.#index.size);
    this.#low.set(node, this.#index.size - 1);
    this.#open.push(node);
    this.#isOpen.add(node);
    return { node, left: (this.#edges.get(node) ?? new Set<Node>()).values() };
  }

  #leave(node: Node, parent: Node | undefined): void {
    const low = this.#low.get(node) ?? 0;
    if (parent !== undefined) this.#lower(parent, low);
    if (low !== this.#index.get(node)) return;
    const circle = this.#open.splice(this.#open.lastIndexOf(node));
    for (const member of circle) this.#isOpen.delete(member);
    if (circle.length > 1) this.circles.push(circle);
  }

  #lower(node: Node, to: number): void {
    this.#low.set(node, Math.min(this.#low.get(node) ?? to, to));
  }
}
