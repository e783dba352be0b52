// Which tasks the list shows, in which order: newest first, and nothing goes or comes while somebody is about to act on it.
import {active, state} from '../state.js';

/** Ended ones that stay among those that run, so that one sees what became of them. */
const ENDED_SHOWN = 100;

export class Shown {
    /** @param wanted whether a task belongs into the list */
    constructor(wanted) {
        this.wanted = wanted;
        this.ids = new Set();
        this.waiting = 0;
    }

    /** Takes in what is new, or only counts it while the list is held. Answers the tasks to show. */
    update(held) {
        for (const id of this.ids) {
            if (!state.tasks.has(id)) {
                this.ids.delete(id);
            }
        }
        const news = [...state.tasks.values()].filter(task => !this.ids.has(task.task_id) && this.wanted(task));
        const waits = held && this.ids.size > 0;
        this.waiting = waits ? news.length : 0;
        if (!waits) {
            news.forEach(task => this.ids.add(task.task_id));
            this.dropOldest();
        }
        return this.tasks();
    }

    /** Shows what waits, and leaves out what no longer belongs here. */
    tidy() {
        this.ids.clear();
    }

    /** How many are shown that would not be after a tidy. */
    get past() {
        return this.tasks().filter(task => !this.wanted(task)).length;
    }

    tasks() {
        return [...this.ids].sort().reverse().map(id => state.tasks.get(id));
    }

    dropOldest() {
        const past = this.tasks().filter(task => !active(task) && !this.wanted(task));
        past.slice(ENDED_SHOWN).forEach(task => this.ids.delete(task.task_id));
    }
}
