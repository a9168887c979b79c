package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.redelay.lock.annotation.LockCall;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;

/**
 * How long it takes to make the names of 100 locks, and to evaluate nothing but the
 * expressions in them. Both make an evaluation context for each call; only the name makes
 * text of the values and checks it.
 * <p>
 * In the package of what it measures, of which nothing is public.
 *
 * @since 0.1.0
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LockNameBenchmark {

	/**
	 * How many calls are measured together, as one is too short for the clock, and more
	 * would be interrupted by what else the machine does.
	 */
	public static final int CALLS = 100;

	private final Coupons target = new Coupons();

	private final Object[] args = { "7", new User("4711", "north") };

	private final Method method = method();

	private final LockParameters parameters = new LockParameters(this.method, this.method);

	private final LockExpressionParser parser = parser();

	/**
	 * What is evaluated.
	 */
	@Param
	Template template = Template.BARE_PARAMETER;

	private LockNameTemplate name = name(Template.BARE_PARAMETER);

	private Expression[] expressions = {};

	/**
	 * Reads the template.
	 */
	@Setup
	public void setUp() {
		SpelExpressionParser bare = new SpelExpressionParser(
				new SpelParserConfiguration(SpelCompilerMode.MIXED, getClass().getClassLoader()));
		this.expressions = this.template.expressions.stream().map(bare::parseRaw).toArray(Expression[]::new);
		this.name = name(this.template);
	}

	/**
	 * Makes names.
	 * @param names where they go
	 */
	@Benchmark
	public void name(Blackhole names) {
		for (int i = 0; i < CALLS; i++) {
			names.consume(this.name.name(context()));
		}
	}

	/**
	 * Evaluates the expressions.
	 * @param values where their values go
	 */
	@Benchmark
	public void expressions(Blackhole values) {
		for (int i = 0; i < CALLS; i++) {
			LockEvaluationContext context = context();
			for (Expression expression : this.expressions) {
				values.consume(expression.getValue(context));
			}
		}
	}

	private LockEvaluationContext context() {
		return this.parser.context(this.parameters, new LockCall(this.target, this.method, this.args));
	}

	private LockNameTemplate name(Template template) {
		return this.parser.template(template.text, "name", new MyLockPlace("coupons", this.method), this.parameters);
	}

	private static Method method() {
		Method method = ReflectionUtils.findMethod(Coupons.class, "claim", String.class, User.class);
		if (method == null) {
			throw new IllegalStateException("There is no method 'claim'");
		}
		return method;
	}

	private static LockExpressionParser parser() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("tenants", new Tenants());
		return new LockExpressionParser(beans);
	}

	/**
	 * A template, and the expressions in it.
	 */
	public enum Template {

		/** A parameter by its bare name. */
		BARE_PARAMETER("coupon:#{id}", "#id"),

		/** Nothing but a parameter. */
		VARIABLE("#{#id}", "#id"),

		/** A property of a parameter. */
		PROPERTY("user:#{user.id}", "#user.id"),

		/** Two parts. */
		TWO_PARTS("coupon:#{id}:#{user.id}", "#id", "#user.id"),

		/** A method of a bean, and a parameter. */
		BEAN("#{@tenants.of(user)}:#{id}", "@tenants.of(#user)", "#id");

		private final String text;

		@SuppressWarnings("ImmutableEnumChecker") // made by List.of
		private final List<String> expressions;

		Template(String text, String... expressions) {
			this.text = text;
			this.expressions = List.of(expressions);
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	/**
	 * Has a method that might be locked.
	 */
	public static class Coupons {

		/**
		 * Does nothing.
		 * @param id a parameter for names
		 * @param user another one
		 */
		public void claim(String id, User user) {
		}

	}

	/**
	 * An argument.
	 *
	 * @param id a property for names
	 * @param tenant the tenant of the bean
	 */
	public record User(String id, String tenant) {

		/**
		 * The name of a getter, as beans have it.
		 * @return the id
		 */
		public String getId() {
			return this.id;
		}

	}

	/**
	 * A bean that names refer to.
	 */
	public static class Tenants {

		/**
		 * Returns the tenant of a user.
		 * @param user the user
		 * @return the tenant
		 */
		public String of(User user) {
			return user.tenant();
		}

	}

}
