interface Question<A> {
  readonly name: string
  readonly listeners: Set<(answer: A) => void>
  /** Lines in which it waits; it begins with the first of them that has room. */
  readonly lines: Set<Line<A>>
  isUnderWay: boolean
}

/** One asker's questions. */
interface Line<A> {
  underWay: number
  readonly waiting: Set<Question<A>>
}

/** Puts the question about a name, and calls back once, later, with the outcome. */
export type Put<A> = (name: string, onAnswer: (answer: A) => void) => void

export interface NameQuestionsOptions {
  /** Questions under way that one asker began. */
  readonly mostUnderWay: number
  /** Names that wait for one asker. */
  readonly mostWaiting: number
}

/**
 * Questions about names. Askers of the same name share one question. Each asker has a bounded number under way, and its
 * other questions wait in a line of its own: they wait for no other asker, and no other waits for them.
 */
export class NameQuestions<A> {
  private readonly questions = new Map<string, Question<A>>()
  private readonly lines = new Map<string, Line<A>>()
  private readonly put: Put<A>
  private readonly options: NameQuestionsOptions

  constructor(put: Put<A>, options: NameQuestionsOptions) {
    this.put = put
    this.options = options
  }

  /** Returns the function that withdraws; undefined if the most names allowed wait for the asker already. */
  ask(name: string, asker: string, onAnswer: (answer: A) => void): (() => void) | undefined {
    const known = this.questions.get(name)
    const question = known ?? { name, listeners: new Set(), lines: new Set(), isUnderWay: false }
    if (!question.isUnderWay && !this.stand(question, asker)) return undefined
    this.questions.set(name, question)
    question.listeners.add(onAnswer)
    return () => this.withdraw(question, onAnswer)
  }

  /** Begins a question, or puts it in the asker's line; answers whether there was room. */
  private stand(question: Question<A>, asker: string): boolean {
    const line = this.lines.get(asker) ?? { underWay: 0, waiting: new Set() }
    if (line.underWay < this.options.mostUnderWay) {
      this.lines.set(asker, line)
      this.begin(question, line, asker)
      return true
    }
    if (line.waiting.size >= this.options.mostWaiting && !line.waiting.has(question)) return false
    line.waiting.add(question)
    question.lines.add(line)
    return true
  }

  private begin(question: Question<A>, line: Line<A>, asker: string): void {
    question.isUnderWay = true
    this.leaveLines(question)
    line.underWay += 1
    this.put(question.name, (answer) => {
      this.questions.delete(question.name)
      line.underWay -= 1
      const [next] = line.waiting
      if (next !== undefined) this.begin(next, line, asker)
      else if (line.underWay === 0) this.lines.delete(asker)
      for (const listener of question.listeners) listener(answer)
    })
  }

  private leaveLines(question: Question<A>): void {
    for (const line of question.lines) line.waiting.delete(question)
    question.lines.clear()
  }

  private withdraw(question: Question<A>, onAnswer: (answer: A) => void): void {
    question.listeners.delete(onAnswer)
    if (question.isUnderWay || question.listeners.size > 0) return
    this.leaveLines(question)
    this.questions.delete(question.name)
  }
}
