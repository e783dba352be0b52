// One task of the state that all views share, kept as new as its page needs it.
import {get} from '../api.js';
import {active, learn, state, watch} from '../state.js';

const LOOK_MS = 2000;
/** Of one that has ended: whether it is still there. */
const ENDED_LOOKS = 5;

/**
 * Follows a task. `told` is called after changes; one that was forgotten has `forgotten`.
 *
 * @returns {task, refresh(), close()}
 */
export async function follow(id, told) {
    let looks = 0;
    let task = learn(await get(`/v1/tasks/${id}`));
    let wasActive = active(task);

    async function refresh() {
        try {
            task = learn(await get(`/v1/tasks/${id}`));
        } catch (failure) {
            if (failure.status === 404) {
                task.forgotten = true;
                clearInterval(looking);
            } // else the frame says that the server is away
        }
        told(task);
    }

    const unwatch = watch(() => {
        task = state.tasks.get(id) ?? task;
        told(task);
        if (wasActive && !active(task)) {
            wasActive = false;
            refresh();
        }
    });
    const looking = setInterval(() => document.hidden || (!active(task) && ++looks % ENDED_LOOKS) || refresh(), LOOK_MS);
    return {
        get task() {
            return task;
        },
        refresh,
        close() {
            clearInterval(looking);
            unwatch();
        },
    };
}
