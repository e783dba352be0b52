package dev.holdfast.shell;

import dev.holdfast.shell.word.Word;

/**
 * Where output goes, or input comes from.
 *
 * @param operator as it was written: {@code >}, {@code >>}, {@code <}, {@code >|}, {@code &>}, {@code 2>} is {@code >}
 */
public record Redirect(String operator, Word target) {
    public boolean writes() {
        boolean duplicates = operator.equals(">&") && target.text().matches("[0-9]+-?|-");
        return operator.indexOf('>') >= 0 && !duplicates;
    }
}
