// Keys of the page. A view says which it has; help lists them.
const layers = new Set();

/**
 * Binds keys until the answered function is called.
 *
 * @param bindings [{key, does, run(event)}]: `key` as KeyboardEvent has it, several split by a space;
 *     `does` in a few words; without `run` it is what the browser does anyway
 */
export function bind(bindings) {
    layers.add(bindings);
    return () => layers.delete(bindings);
}

/** All that are bound, the view's last. */
export const bound = () => [...layers].flat();

function pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || types(event.target)) {
        return;
    }
    const binding = bound().reverse().find(({key}) => key.split(' ').includes(event.key));
    if (binding?.run) {
        event.preventDefault();
        binding.run(event);
    }
}

function types(target) {
    return target.closest?.('input, textarea, select, [contenteditable], dialog') != null
        || document.querySelector('dialog[open]') != null;
}

document.addEventListener('keydown', pressed);
