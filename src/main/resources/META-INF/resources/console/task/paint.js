// Lines as nodes: text and nothing but text, whatever a command prints.
import {isPlain} from './ansi.js';

const FLAGS = ['bold', 'dim', 'italic', 'underline', 'strike'];
const STEPS = [0, 95, 135, 175, 215, 255];

/**
 * Appends lines to an element that keeps white space. No newline follows the last, but where it shows an empty line.
 */
export function paint(element, lines) {
    let text = element.hasChildNodes() && !element.lastChild.textContent.endsWith('\n') ? '\n' : '';
    lines.forEach((line, i) => {
        for (const run of line) {
            if (isPlain(run.style)) {
                text += run.text;
            } else {
                element.append(text, styled(run));
                text = '';
            }
        }
        text += i < lines.length - 1 || line.length === 0 ? '\n' : '';
    });
    element.append(text);
}

function styled({text, style}) {
    const node = document.createElement(style.link ? 'button' : 'span');
    node.textContent = text;
    node.classList.add(...FLAGS.filter(flag => style[flag]));
    const [fg, bg] = style.inverse ? [style.bg ?? 'back', style.fg ?? 'fore'] : [style.fg, style.bg];
    colour(node, 'fg', 'color', fg);
    colour(node, 'bg', 'background-color', bg);
    if (style.link) {
        node.type = 'button';
        node.className += ' outside';
        node.dataset.address = style.link;
        node.title = style.link;
    }
    return node;
}

function colour(node, prefix, property, value) {
    if (value === undefined) {
        return;
    }
    if (value === 'fore' || value === 'back' || value < 16) {
        node.classList.add(`${prefix}-${value}`);
    } else {
        node.style.setProperty(property, typeof value === 'number' ? fixed(value) : value);
        node.classList.add(`${prefix}-own`);
    }
}

/** Of xterm's 256: the cube and the greys. */
function fixed(number) {
    if (number >= 232) {
        const grey = 8 + (number - 232) * 10;
        return `rgb(${grey}, ${grey}, ${grey})`;
    }
    const cube = number - 16;
    return `rgb(${STEPS[Math.floor(cube / 36)]}, ${STEPS[Math.floor(cube / 6) % 6]}, ${STEPS[cube % 6]})`;
}
