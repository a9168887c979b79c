package io.redelay.queue.wire;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

import io.redelay.queue.wire.LuaTokens.Kind;
import io.redelay.queue.wire.LuaTokens.Token;

/**
 * Parses a script and resolves each name in it by the rules of Lua, branches that are
 * seldom taken included. An include is taken for what its header says: what it reads and
 * changes is looked for where it stands, and what it sets is there from then on.
 */
final class LuaScopes {

	/**
	 * What Redis and Lua give to each script, as far as the scripts use it.
	 */
	private static final Set<String> GIVEN = Set.of("redis", "string", "table", "math", "struct", "tonumber",
			"tostring", "error", "ipairs", "pairs", "unpack", "type", "setmetatable");

	private final List<Token> tokens;

	private final Function<String, Include> includes;

	private final Deque<Set<String>> scopes = new ArrayDeque<>();

	/**
	 * Names that are read and that nothing set before.
	 */
	final Set<String> free = new TreeSet<>();

	/**
	 * Those of them that are assigned to, or whose table gets an entry.
	 */
	final Set<String> changed = new TreeSet<>();

	/**
	 * Places in KEYS and ARGV; {@code ARGV[..]} if one is computed.
	 */
	final Set<String> places = new TreeSet<>();

	/**
	 * Locals of the outermost block.
	 */
	final Set<String> outermost = new LinkedHashSet<>();

	final Set<String> included = new TreeSet<>();

	/**
	 * The block in which the text of an include stands that is put in once.
	 */
	private final Map<String, Set<String>> once = new LinkedHashMap<>();

	/**
	 * Locals of the outermost block that are not those of an include that is put in once.
	 */
	final Set<String> own = new LinkedHashSet<>();

	/**
	 * What is wrong with the includes of this script.
	 */
	final List<String> problems = new ArrayList<>();

	/**
	 * Locals that are assigned to and hide one of the same name and function around them,
	 * which may be what the assignment is meant for.
	 */
	final Set<String> ambiguous = new TreeSet<>();

	/**
	 * Whether it ends the script that includes it.
	 */
	boolean ends;

	private int functions;

	/**
	 * How many functions are around each block.
	 */
	private final Map<Set<String>, Integer> functionOf = new IdentityHashMap<>();

	private int position;

	LuaScopes(String text, Function<String, Include> includes) {
		this.tokens = LuaTokens.of(text);
		this.includes = includes;
		this.scopes.push(this.outermost);
		this.functionOf.put(this.outermost, 0);
		block();
		expect(Kind.END);
	}

	/**
	 * What is known of an include.
	 *
	 * @param header its header
	 * @param locals its outermost locals, private ones included
	 * @param once the includes that it puts in once, and theirs: whether they stand in
	 * its outermost block
	 */
	record Include(LuaHeader header, Set<String> locals, Map<String, Boolean> once) {
	}

	/**
	 * The includes that are put in once: whether they stand in the outermost block.
	 */
	Map<String, Boolean> once() {
		Map<String, Boolean> outer = new LinkedHashMap<>();
		this.once.forEach((name, block) -> outer.put(name, block == this.outermost));
		return outer;
	}

	// Names ---------------------------------------------------------------------------

	private void declare(String name) {
		this.scopes.element().add(name);
		if (this.scopes.size() == 1) {
			this.own.add(name);
		}
	}

	private boolean isSet(String name) {
		return GIVEN.contains(name) || this.scopes.stream().anyMatch((scope) -> scope.contains(name));
	}

	private void use(String name) {
		if (!isSet(name)) {
			this.free.add(name);
		}
	}

	private void change(String name) {
		use(name);
		List<Integer> functionsThatSet = this.scopes.stream()
			.filter((scope) -> scope.contains(name))
			.map(this.functionOf::get)
			.toList();
		if (functionsThatSet.size() > 1 && functionsThatSet.get(0).equals(functionsThatSet.get(1))) {
			this.ambiguous.add("line " + peek().line() + ": '" + name + "'");
		}
		if (!isSet(name)) {
			this.changed.add(name);
		}
	}

	/**
	 * An include that is put in once: its text is where it is named first, and what it
	 * sets is known to the end of the block in which that is.
	 */
	private void include(Token token) {
		this.included.add(token.text());
		Include include = this.includes.apply(token.text());
		Set<String> block = this.once.get(token.text());
		if (block == null) {
			keepOnce(include);
			this.once.put(token.text(), this.scopes.element());
			put(include, token);
		}
		else if (this.scopes.stream().noneMatch((scope) -> scope == block)
				&& !include.header().names("sets").stream().allMatch(this::isSet)) {
			this.problems.add("line " + token.line() + ": '" + token.text()
					+ "' is included before, in a block that does not reach here");
		}
		this.scopes.element().addAll(include.header().names("sets"));
	}

	private void paste(Token token) {
		this.included.add(token.text());
		Include include = this.includes.apply(token.text());
		Set<String> reads = new TreeSet<>(include.header().names("reads"));
		reads.addAll(include.header().names("changes"));
		if (!reads.isEmpty()) {
			this.problems.add("line " + token.line() + ": '" + token.text()
					+ "' is pasted, and reads names from around it: " + reads);
		}
		keepOnce(include);
		put(include, token);
		include.header().names("sets").forEach(this::declare);
	}

	private void keepOnce(Include include) {
		include.once()
			.forEach((name, outer) -> this.once.putIfAbsent(name, outer ? this.scopes.element() : new HashSet<>()));
	}

	private void put(Include include, Token token) {
		for (String name : include.header().names("reads")) {
			if (name.matches("(KEYS|ARGV)[\\[.].*")) {
				this.places.add(name.replaceFirst("\\[\\d+\\.\\.]", "[..]"));
			}
			else {
				need(name, token);
			}
		}
		for (String name : include.header().names("changes")) {
			need(name, token);
			change(name);
		}
		for (String name : include.locals()) {
			if (isSet(name)) {
				this.problems.add("line " + token.line() + ": '" + token.text() + "' hides '" + name
						+ "', which is set before: rename it, or include it once");
			}
		}
		this.ends |= this.functions == 0 && !include.header().names("ends").isEmpty();
	}

	private void need(String name, Token token) {
		if (!isSet(name)) {
			this.problems.add("line " + token.line() + ": '" + token.text() + "' reads '" + name
					+ "', which is not set where it is included");
		}
		use(name);
	}

	// Blocks and statements -----------------------------------------------------------

	private void scope(Runnable content) {
		this.scopes.push(new HashSet<>());
		this.functionOf.put(this.scopes.element(), this.functions);
		content.run();
		this.scopes.pop();
	}

	private void block() {
		while (!peek().is("end") && !peek().is("else") && !peek().is("elseif") && !peek().is("until")
				&& peek().kind() != Kind.END) {
			statement();
			skip(";");
		}
	}

	private void statement() {
		Token token = peek();
		if (token.kind() == Kind.INCLUDE) {
			include(next());
		}
		else if (token.kind() == Kind.PASTE) {
			paste(next());
		}
		else if (skip("local")) {
			local();
		}
		else if (skip("if")) {
			condition();
		}
		else if (skip("while")) {
			expression();
			expect("do");
			scope(this::block);
			expect("end");
		}
		else if (skip("do")) {
			scope(this::block);
			expect("end");
		}
		else if (skip("for")) {
			loop();
		}
		else if (skip("repeat")) {
			scope(() -> {
				block();
				expect("until");
				expression();
			});
		}
		else if (skip("return")) {
			this.ends |= this.functions == 0;
			if (!peek().is("end") && !peek().is("else") && !peek().is("elseif") && peek().kind() != Kind.END) {
				expressions();
			}
		}
		else if (!skip("break")) {
			assignmentOrCall();
		}
	}

	private void local() {
		if (skip("function")) {
			declare(expect(Kind.NAME).text());
			function();
			return;
		}
		List<String> names = names();
		if (skip("=")) {
			expressions();
		}
		names.forEach(this::declare);
	}

	private void condition() {
		expression();
		expect("then");
		scope(this::block);
		while (skip("elseif")) {
			expression();
			expect("then");
			scope(this::block);
		}
		if (skip("else")) {
			scope(this::block);
		}
		expect("end");
	}

	private void loop() {
		List<String> names = names();
		if (!skip("in")) {
			expect("=");
		}
		expressions();
		expect("do");
		scope(() -> {
			names.forEach(this::declare);
			block();
		});
		expect("end");
	}

	private void function() {
		this.functions++;
		scope(() -> {
			expect("(");
			if (!peek().is(")")) {
				names().forEach(this::declare);
			}
			expect(")");
			block();
			expect("end");
		});
		this.functions--;
	}

	private void assignmentOrCall() {
		boolean call = target();
		if (call) {
			return;
		}
		while (skip(",")) {
			target();
		}
		expect("=");
		expressions();
	}

	/**
	 * What is assigned to, or a call. Gives whether it is a call.
	 */
	private boolean target() {
		Token first = peek();
		int start = this.position;
		boolean call = suffixed();
		if (!call && first.kind() == Kind.NAME) {
			change(first.text());
		}
		if (call && first.text().equals("table") && List.of("insert", "remove", "sort").contains(at(start + 2).text())
				&& at(start + 4).kind() == Kind.NAME) {
			change(at(start + 4).text());
		}
		return call;
	}

	// Expressions ---------------------------------------------------------------------

	private List<String> names() {
		List<String> names = new ArrayList<>();
		do {
			names.add(skip("...") ? "..." : expect(Kind.NAME).text());
		}
		while (skip(","));
		return names;
	}

	private void expressions() {
		do {
			expression();
		}
		while (skip(","));
	}

	private void expression() {
		operand();
		while (List.of("+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or")
			.stream()
			.anyMatch(this::skip)) {
			operand();
		}
	}

	private void operand() {
		while (skip("not") || skip("-")) {
		}
		if (skip("#")) {
			if (peek().text().equals("KEYS") || peek().text().equals("ARGV")) {
				this.places.add(next().text() + "[..]");
				return;
			}
			operand();
			return;
		}
		Token token = peek();
		if (token.is("{")) {
			table();
		}
		else if (skip("function")) {
			function();
		}
		else if (token.kind() == Kind.NAME || token.is("(")) {
			suffixed();
		}
		else if (token.kind() == Kind.STRING || token.kind() == Kind.NUMBER
				|| List.of("nil", "true", "false", "...").contains(token.text())) {
			next();
		}
		else {
			throw unexpected(token, "an expression");
		}
	}

	/**
	 * A name or an expression in parentheses with what is behind it. Gives whether it
	 * ends with a call.
	 */
	private boolean suffixed() {
		Token first = next();
		if (first.is("(")) {
			expression();
			expect(")");
		}
		else if (first.text().equals("KEYS") || first.text().equals("ARGV")) {
			place(first.text());
		}
		else if (first.text().equals("KEYS_AT")) {
			place("KEYS");
		}
		else {
			use(first.text());
		}
		boolean call = false;
		while (true) {
			if (skip(".")) {
				expect(Kind.NAME);
				call = false;
			}
			else if (skip("[")) {
				expression();
				expect("]");
				call = false;
			}
			else if (skip("(")) {
				if (!peek().is(")")) {
					expressions();
				}
				expect(")");
				call = true;
			}
			else {
				return call;
			}
		}
	}

	private void place(String array) {
		if (peek().is(".")) {
			this.places.add(array + "." + at(this.position + 1).text());
		}
		else if (peek().is("[") && at(this.position + 1).kind() == Kind.NUMBER && at(this.position + 2).is("]")) {
			this.places.add(array + "[" + at(this.position + 1).text() + "]");
		}
		else {
			this.places.add(array + "[..]");
		}
	}

	private void table() {
		expect("{");
		while (!peek().is("}")) {
			if (skip("[")) {
				expression();
				expect("]");
				expect("=");
			}
			else if (peek().kind() == Kind.NAME && at(this.position + 1).is("=")) {
				next();
				next();
			}
			expression();
			skip(",");
		}
		expect("}");
	}

	// Tokens --------------------------------------------------------------------------

	private Token at(int index) {
		return this.tokens.get(Math.min(index, this.tokens.size() - 1));
	}

	private Token peek() {
		return at(this.position);
	}

	private Token next() {
		return at(this.position++);
	}

	private boolean skip(String word) {
		if (peek().is(word)) {
			this.position++;
			return true;
		}
		return false;
	}

	private void expect(String word) {
		if (!skip(word)) {
			throw unexpected(peek(), "'" + word + "'");
		}
	}

	private Token expect(Kind kind) {
		if (peek().kind() != kind) {
			throw unexpected(peek(), kind.name());
		}
		return next();
	}

	private static IllegalArgumentException unexpected(Token token, String wanted) {
		return new IllegalArgumentException(
				"line " + token.line() + ": '" + token.text() + "' stands where " + wanted + " is to be");
	}

}
