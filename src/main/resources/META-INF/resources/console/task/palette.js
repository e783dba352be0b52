// Colours of the terminal, on light and on dark paper: those of task.css, for a canvas has no style sheet.

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

const theme = (background, foreground, selection, colours) => ({
    background, foreground, selection, cursor: foreground, cursorAccent: background,
    ...Object.fromEntries(colours.map((colour, i) => [i < 8 ? NAMES[i] : `bright${NAMES[i - 8][0].toUpperCase()}${NAMES[i - 8].slice(1)}`, colour])),
});

const LIGHT = theme('#f1efe9', '#1d2426', '#0b6b6340', [
    '#1d2426', '#a8201a', '#23692b', '#7a5200', '#1f55a5', '#86309a', '#0c6670', '#9aa3a3',
    '#5c666a', '#b3261e', '#1f6b2a', '#7c5600', '#2458b8', '#9130a8', '#00677a', '#ffffff']);
const DARK = theme('#101315', '#e4e8e6', '#6cc9b84d', [
    '#2b3336', '#f08a80', '#83cc88', '#e0b95c', '#8ab6f2', '#d79be6', '#72c8d2', '#d4dad8',
    '#9aa5a6', '#ff9d94', '#97e09c', '#f2cf7a', '#a3c7fa', '#e6b3f2', '#8adde6', '#ffffff']);

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Calls with the colours now, and whenever the page's change. Answers how to end that. */
export function onTheme(use) {
    const tell = () => use(dark.matches ? DARK : LIGHT);
    dark.addEventListener('change', tell);
    tell();
    return () => dark.removeEventListener('change', tell);
}
