// Which tasks the list shows, in which order: newest first, and nothing goes or comes while somebody is about to act
// on it.
import {active, state} from '../state.js';

/** Ended ones that stay among those that run, so that one sees what became of them. */
const ENDED_SHOWN = 100;

export class Shown {
    /** @param wanted whether a task belongs into the list */
    constructor(wanted) {
        this.wanted = wanted;
        /** The tasks that are shown, by their ids; sorted with each that comes. */
        this.byId = new Map();
        this.waiting = 0;
    }

    /** Takes in what is new, or only counts it while the list is held. Answers the tasks to show. */
    update(held) {
        for (const [id, task] of this.byId) {
            if (state.tasks.get(id) !== task) {
                this.byId.delete(id);
            }
        }
        const news = [...state.tasks.values()].filter(task => !this.byId.has(task.task_id) && this.wanted(task));
        const waits = held && this.byId.size > 0;
        this.waiting = waits ? news.length : 0;
        if (!waits && news.length > 0) {
            const all = [...this.byId.values(), ...news].sort((a, b) => (a.task_id < b.task_id ? 1 : -1));
            this.byId = new Map(all.map(task => [task.task_id, task]));
        }
        if (!waits) {
            this.dropOldest();
        }
        return [...this.byId.values()];
    }

    /** Shows what waits, and leaves out what no longer belongs here. */
    tidy() {
        this.byId.clear();
    }

    /** How many are shown that would not be after a tidy. */
    get past() {
        return [...this.byId.values()].filter(task => !this.wanted(task)).length;
    }

    dropOldest() {
        const past = [...this.byId.values()].filter(task => !active(task) && !this.wanted(task));
        past.slice(ENDED_SHOWN).forEach(task => this.byId.delete(task.task_id));
    }
}
