package io.redelay.queue.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Splits the text of a script into tokens, as far as the scripts of the store use Lua: no
 * long strings and no long comments.
 */
final class LuaTokens {

	private static final Set<String> KEYWORDS = Set.of("and", "break", "do", "else", "elseif", "end", "false", "for",
			"function", "if", "in", "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while");

	private static final Pattern TOKEN = Pattern
		.compile("(?<include>--@(?:include|paste) +(?<included>\\w+)[^\\n]*)|(--[^\\n]*)"
				+ "|(?<blank>\\s+)|(?<name>[A-Za-z_]\\w*)|(?<number>\\d[\\w.]*)"
				+ "|(?<string>'(?:[^'\\\\\\n]|\\\\.)*'|\"(?:[^\"\\\\\\n]|\\\\.)*\")"
				+ "|(?<symbol>\\.\\.\\.|\\.\\.|==|~=|<=|>=|[-+*/%^#<>=(){}\\[\\];:,.])");

	private LuaTokens() {
	}

	static List<Token> of(String text) {
		List<Token> tokens = new ArrayList<>();
		Matcher matcher = TOKEN.matcher(text);
		int line = 1;
		int end = 0;
		while (matcher.lookingAt()) {
			Kind kind = kind(matcher);
			if (kind != null) {
				tokens.add(new Token(kind,
						(matcher.group("included") != null) ? matcher.group("included") : matcher.group(), line));
			}
			line += (int) matcher.group().chars().filter((c) -> c == '\n').count();
			end = matcher.end();
			matcher.region(end, text.length());
		}
		if (end < text.length()) {
			throw new IllegalArgumentException("line " + line + ": cannot be read as Lua: '"
					+ text.substring(end).lines().findFirst().orElse("") + "'");
		}
		tokens.add(new Token(Kind.END, "the end", line));
		return tokens;
	}

	private static @Nullable Kind kind(Matcher matcher) {
		if (matcher.group("include") != null) {
			return matcher.group("include").startsWith("--@paste") ? Kind.PASTE : Kind.INCLUDE;
		}
		if (matcher.group("name") != null) {
			return KEYWORDS.contains(matcher.group()) ? Kind.KEYWORD : Kind.NAME;
		}
		if (matcher.group("number") != null) {
			return Kind.NUMBER;
		}
		if (matcher.group("string") != null) {
			return Kind.STRING;
		}
		return (matcher.group("symbol") != null) ? Kind.SYMBOL : null;
	}

	enum Kind {

		NAME, KEYWORD, NUMBER, STRING, SYMBOL, INCLUDE, PASTE, END

	}

	record Token(Kind kind, String text, int line) {

		boolean is(String word) {
			return (this.kind == Kind.KEYWORD || this.kind == Kind.SYMBOL) && this.text.equals(word);
		}

	}

}
