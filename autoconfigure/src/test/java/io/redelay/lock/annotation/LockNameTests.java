package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.redelay.lock.LockContext;
import io.redelay.lock.LockHandle;
import io.redelay.lock.LockKey;
import io.redelay.lock.LockNameException;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockProviders;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.LockThreads;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import io.redelay.lock.MyLockType;
import io.redelay.test.TestSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the names of locks.
 */
class LockNameTests {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final CountingParser parser = new CountingParser();

	LockNameTests() {
		MockEnvironment environment = new MockEnvironment().withProperty("lock.region", "eu");
		this.beans.addEmbeddedValueResolver(environment::resolvePlaceholders);
		this.beans.registerSingleton("clock", new Clock());
	}

	@Test
	void literalText() {
		assertThat(name("plain:name-1#2", "a", 1L)).isEqualTo("plain:name-1#2");
	}

	@Test
	void bareNameIsAParameter() {
		assertThat(name("order:#{id}", "a", 1L)).isEqualTo("order:a");
	}

	@Test
	void variableIsAParameter() {
		assertThat(name("order:#{#id}/#{#p1}", "a", 1L)).isEqualTo("order:a/1");
	}

	@Test
	void bareNameIsAPropertyOfTheRoot() {
		assertThat(name("#{method.name}:#{args[1]}:#{target.kind}:#{#root.args[0]}", "a", 1L))
			.isEqualTo("call:1:tester:a");
	}

	@Test
	void propertiesCallsTypesAndBeans() {
		assertThat(name("#{id.length()}-#{id.bytes.length}", "abc", 1L)).isEqualTo("3-3");
		assertThat(name("#{T(io.redelay.lock.annotation.LockNameTests.Context).user()}", "a", 1L)).isEqualTo("bob");
		assertThat(name("#{@clock.hour(number)}", "a", 7L)).isEqualTo("7h");
		assertThat(name("#{T(java.lang.Math).max(number, 3L)}", "a", 7L)).isEqualTo("7");
	}

	@Test
	void bareNamesInsideOfOthers() {
		assertThat(name("#{id + '#{x}' + id}#{{number, number}}", "a", 1L)).isEqualTo("a#{x}a[1, 1]");
		assertThat(name("#{{'a','b'}[number]}", "x", 1L)).isEqualTo("b");
		assertThat(name("#{number > 5 ? id : 'small'}", "big", 7L)).isEqualTo("big");
		assertThat(name("#{{1, 2, 3}.?[#this > number]}", "a", 2L)).isEqualTo("[3]");
	}

	@Test
	void placeholdersOfTheTextAreResolved() {
		assertThat(name("${lock.region}:#{id}:${none:x}", "a", 1L)).isEqualTo("eu:a:x");
	}

	@Test
	void whatAnArgumentHoldsIsText() {
		String evil = "#{T(java.lang.Runtime).getRuntime().exit(1)} ${lock.region} #{number} ${user.home}";
		assertThat(name("order:#{id}", evil, 1L)).isEqualTo("order:" + evil);
		assertThat(name("#{id}#{number}", "#{number}", 1L)).isEqualTo("#{number}1");
	}

	@Test
	void nothingIsParsedForACall() {
		MyLockOperation operation = operation("order:#{id}:#{number}:#{@clock.hour(number)}", "call", String.class,
				long.class);
		int parsed = this.parser.parsed;
		assertThat(parsed).isPositive();
		for (int i = 0; i < 500; i++) {
			LockSpec spec = operation.spec(new Tester(), new Object[] { "#{a" + i + "}", (long) i });
			assertThat(spec.names()).containsExactly("order:#{a" + i + "}:" + i + ":" + i + "h");
			assertThat(spec.label()).isEqualTo("order:#{id}:#{number}:#{@clock.hour(number)}");
		}
		assertThat(this.parser.parsed).isEqualTo(parsed);
	}

	@Test
	void textsOfAnnotationsAreReadAtStartOnly() {
		List<String> read = new CopyOnWriteArrayList<>();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getBeanFactory().addEmbeddedValueResolver((text) -> {
				read.add(text);
				return text;
			});
			context.registerBean(MyLockBeanPostProcessor.class);
			context.registerBean(LockTemplate.class, LockNameTests::templateOfGrantedLocks);
			context.registerBean(Guarded.class);
			context.refresh();
			assertThat(read).contains("order:#{id}", "#{id != 'none'}", "busy: #{id}");
			read.clear();
			for (int i = 0; i < 10; i++) {
				assertThat(context.getBean(Guarded.class).names("a" + i)).containsExactly("order:a" + i);
			}
		}
		assertThat(read).isEmpty();
	}

	@Test
	void argumentsOfOtherTypesAfterCompilation() {
		MyLockOperation operation = operation("#{any}", "any", Object.class);
		for (int i = 0; i < 300; i++) {
			Object argument = (i % 2 == 0) ? Integer.valueOf(i) : "s" + i;
			assertThat(operation.spec(new Tester(), new Object[] { argument }).names())
				.containsExactly(argument.toString());
		}
	}

	@Test
	void missingPartsAreErrors() {
		for (Object missing : Arrays.asList(null, "", "  ", Optional.empty())) {
			assertThatExceptionOfType(LockNameException.class).isThrownBy(
					() -> operation("o:#{any}", "any", Object.class).spec(new Tester(), new Object[] { missing }));
		}
		assertThatExceptionOfType(LockNameException.class)
			.isThrownBy(() -> operation("#{any.nope}", "any", Object.class).spec(new Tester(), new Object[] { "x" }))
			.withMessageContaining("nope");
		assertThatExceptionOfType(LockNameException.class).isThrownBy(
				() -> operation("#{any.length()}", "any", Object.class).spec(new Tester(), new Object[] { null }));
	}

	@Test
	void objectsWithoutATextOfTheirOwnAreErrors() {
		MyLockOperation operation = operation("#{any}", "any", Object.class);
		assertThatExceptionOfType(LockNameException.class)
			.isThrownBy(() -> operation.spec(new Tester(), new Object[] { new Object() }));
		assertThatExceptionOfType(LockNameException.class)
			.isThrownBy(() -> operation.spec(new Tester(), new Object[] { new String[] { "a" } }));
		assertThat(operation.spec(new Tester(), new Object[] { Optional.of("a") }).names()).containsExactly("a");
		assertThat(operation.spec(new Tester(), new Object[] { List.of(1) }).names()).containsExactly("[1]");
	}

	@Test
	void objectsWithoutATextOfTheirOwnInsideOfOthersAreErrors() {
		MyLockOperation operation = operation("#{any}", "any", Object.class);
		Object silent = new Object();
		for (Object holder : List.of(List.of("a", silent), Map.of("k", silent), Map.of(silent, "v"), new Holder(silent),
				Optional.of(List.of(silent)), List.of(new Holder(List.of(silent))), new AtomicReference<>(silent),
				List.of(new int[] { 1 }), new Named(new String[] { "a" }), new CompletableFuture<>(), (Runnable) () -> {
				})) {
			assertThatExceptionOfType(LockNameException.class).as(holder.getClass().getName())
				.isThrownBy(() -> operation.spec(new Tester(), new Object[] { holder }))
				.withMessageContaining("#{any}")
				.withMessageContaining("toString");
		}
	}

	@Test
	void textThatLooksLikeAnObjectIsText() {
		MyLockOperation operation = operation("#{any}", "any", Object.class);
		for (Object any : List.of("java.lang.Object@1f", List.of("bob@cafe", "eve@example.com"),
				new Holder("bob@cafe"))) {
			assertThat(operation.spec(new Tester(), new Object[] { any }).names()).containsExactly(any.toString());
		}
	}

	@Test
	void equalSetsAndMapsMakeEqualNames() {
		MyLockOperation operation = operation("#{any}", "any", Object.class);
		Set<String> one = new LinkedHashSet<>(List.of("b", "a"));
		Set<String> other = new LinkedHashSet<>(List.of("a", "b"));
		assertThat(operation.spec(new Tester(), new Object[] { one }).names()).containsExactly("[a, b]");
		assertThat(operation.spec(new Tester(), new Object[] { other }).names()).containsExactly("[a, b]");
		assertThat(operation.spec(new Tester(), new Object[] { new Holder(List.of(one)) }).names())
			.isEqualTo(operation.spec(new Tester(), new Object[] { new Holder(List.of(other)) }).names());
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("k2", one);
		map.put("k1", 1);
		assertThat(operation.spec(new Tester(), new Object[] { map }).names()).containsExactly("{k1=1, k2=[a, b]}");
	}

	@Test
	void listInsideOfItselfIsAnError() {
		List<Object> endless = new ArrayList<>();
		endless.add(List.of(endless));
		assertThatExceptionOfType(LockNameException.class)
			.isThrownBy(() -> operation("#{any}", "any", Object.class).spec(new Tester(), new Object[] { endless }));
	}

	@Test
	void whatCannotBeKnownIsRefusedAtOnce() {
		for (Map.Entry<String, String> each : Map
			.of("#{nope}", "'nope'", "#{#nope}", "'#nope'", "order:#id", "outside of #{…}", "order:#{id",
					"cannot be read", "#{@nobody.m()}", "no bean 'nobody'", "#{T(no.such.Type).m()}",
					"no type no.such.Type", "T(java.lang.Math).random()", "outside of #{…}", "${none}", "placeholder",
					"#{#f()}", "no function", "  ", "blank")
			.entrySet()) {
			assertThatExceptionOfType(InvalidMyLockException.class).as(each.getKey())
				.isThrownBy(() -> operation(each.getKey()))
				.withMessageContaining(each.getValue())
				.withMessageContaining("name");
		}
	}

	@Test
	void keysKeepFamiliesAndBracesApart() {
		assertThat(LockKey.of(this, "p", "lock", "a").key()).isEqualTo("p:lock:{a}");
		assertThat(LockKey.of(this, "p", "rwlock", "a").key()).isEqualTo("p:rwlock:{a}");
		assertThat(LockKey.of(this, "p", "lock", "}a{%").key()).isEqualTo("p:lock:{%7Da%7B%25}");
		assertThat(LockKey.of(this, "p", "lock", "%").key()).isEqualTo("p:lock:{%25}");
	}

	@Test
	void differentNamesMakeDifferentKeys() {
		List<String> names = List.of("a{b", "a%7Bb", "a%257Bb", "a}b", "a%7Db", "%", "%25", "a b", "a%20b");
		assertThat(names.stream().map((name) -> LockKey.of(this, "p", "lock", name).key())).doesNotHaveDuplicates();
	}

	@Test
	void providersHaveFamiliesOfTheirOwn() {
		List<String> families = new ArrayList<>(List.of("lock", "rwlock"));
		for (String provider : List.of("lock", "rwlock", "%6Cock", "%256Cock", "a:{b", "a:%7Bb", "a%3Ab", "a:b")) {
			families.add(LockSpec.of("x").withProvider(provider).family());
		}
		assertThat(families).doesNotHaveDuplicates().noneMatch((family) -> family.matches(".*[:{}].*"));
		assertThat(LockSpec.of("x").withProvider("fencedLockProvider").family()).isEqualTo("fencedLockProvider");
	}

	private String name(String template, String id, long number) {
		return operation(template).spec(new Tester(), new Object[] { id, number }).names().get(0);
	}

	private MyLockOperation operation(String template) {
		return operation(template, "call", String.class, long.class);
	}

	private MyLockOperation operation(String template, String method, Class<?>... types) {
		Method called = ReflectionUtils.findMethod(Tester.class, method, types);
		LockExpressionParser parser = new LockExpressionParser(this.beans, this.parser);
		LockParameters parameters = new LockParameters(called, called);
		LockNameTemplate name = parser.template(template, "name", new MyLockPlace("tester", called), parameters);
		LockSpec locks = LockSpec.of(template)
			.withLabel(template)
			.withStrategy(MyLockStrategy.FAIL_FAST)
			.withWaitTime(Duration.ZERO);
		return new MyLockOperation(called, List.of(name), locks, null, null, null, null,
				(call) -> parser.context(parameters, call));
	}

	private static LockTemplate templateOfGrantedLocks() {
		LockHandle handle = () -> CompletableFuture.completedFuture(true);
		LockProvider granting = (request) -> CompletableFuture.completedFuture(handle);
		return new LockTemplate(new LockProviders(Map.of(MyLockType.RE_ENTRANT_LOCK, granting), Map.of()),
				(name) -> name, TestSettings.LOCK, List.of(), LockThreads.platform());
	}

	record Holder(Object held) {
	}

	/**
	 * Has a text of its own, in which there is one that has none.
	 */
	static class Named {

		private final Object held;

		Named(Object held) {
			this.held = held;
		}

		@Override
		public String toString() {
			return "Named(" + this.held + ")";
		}

	}

	static class Guarded {

		@MyLock(name = "order:#{id}", condition = "#{id != 'none'}", message = "busy: #{id}")
		List<String> names(String id) {
			return LockContext.current().names();
		}

	}

	/**
	 * Counts what is parsed.
	 */
	static class CountingParser extends SpelExpressionParser {

		private int parsed;

		CountingParser() {
			super(new SpelParserConfiguration(SpelCompilerMode.MIXED, LockNameTests.class.getClassLoader()));
		}

		@Override
		protected SpelExpression doParseExpression(String expression, @Nullable ParserContext context) {
			this.parsed++;
			return super.doParseExpression(expression, context);
		}

	}

	static class Tester {

		public String getKind() {
			return "tester";
		}

		void call(String id, long number) {
		}

		void any(Object any) {
		}

	}

	public static final class Context {

		private Context() {
		}

		public static String user() {
			return "bob";
		}

	}

	static class Clock {

		public String hour(long number) {
			return number + "h";
		}

	}

}
