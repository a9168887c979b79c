package io.redelay.docs;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.autoconfigure.GuardAutoConfiguration;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.guard.RedisGuard;
import io.redelay.lock.MyLock;
import io.redelay.lock.annotation.MyLockBeanPostProcessor;
import io.redelay.queue.Backoff;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.test.CapturedLog;
import io.redelay.test.IdleStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Makes the mistakes of the page {@code mistakes.adoc}, and compares what is seen then
 * with what the page quotes. A comment before each row says how: by a property, by a bean
 * of a class inside of a test, by a send, or in a test of its own.
 */
@ExtendWith(CapturedLog.Extension.class)
class MistakesTests {

	private static final Path PAGE = Path.of("../docs/src/docs/asciidoc/mistakes.adoc");

	private static final Map<String, Consumer<QueueOperations>> SENDS = Map.of("bigPayload",
			(queues) -> queues.send("orders", "x".repeat(50_000_000)), "circle",
			(queues) -> queues.send("orders", new Circle()), "nothing", (queues) -> queues.send("orders", nothing()),
			"negativeDelay", (queues) -> queues.send("orders", "x", Duration.ofSeconds(-1)), "longDelay",
			(queues) -> queues.send("orders", "x", Duration.ofDays(4000)), "wrongName",
			(queues) -> queues.send("orders/new", "x"), "noQueue", (queues) -> queues.send("x"));

	@SuppressWarnings("NullAway")
	private static Object nothing() {
		return null;
	}

	static Stream<Row> rows() throws IOException {
		List<Row> rows = new ArrayList<>();
		Matcher row = Pattern.compile("(?m)^// (\\S.*)\\n((?:(?!// |\\|===).+\\n)+)").matcher(Files.readString(PAGE));
		while (row.find()) {
			rows.add(Row.of(row.group(1), row.group(2)));
		}
		return rows.stream();
	}

	@Test
	void thereAreAtLeastSixtyFour() throws IOException {
		assertThat(rows()).hasSizeGreaterThanOrEqualTo(64)
			.allSatisfy((row) -> assertThat(row.mend()).as(row.how()).isNotBlank());
		long cells = Arrays.stream(Files.readString(PAGE).split("\\|===\n"))
			.filter((part) -> part.startsWith("|What you did"))
			.mapToLong((table) -> table.chars().filter((letter) -> letter == '|').count() - 3)
			.sum();
		assertThat(rows()).as("rows without a comment before them").hasSize((int) cells / 3);
	}

	@ParameterizedTest
	@MethodSource
	void rows(Row row, CapturedLog log) throws Exception {
		String seen;
		if (row.how().contains("#")) {
			seen = testOf(row.how());
		}
		else if (row.how().startsWith("redelay.")) {
			seen = start(Orders.class, log, row.how());
		}
		else if (row.how().startsWith("send ")) {
			seen = send(SENDS.get(row.how().substring(5)));
		}
		else {
			Class<?> bean = nested(row.how());
			seen = bean.getName().contains("MyLockTests") ? lock(bean) : start(bean, log, properties(bean));
		}
		if (!row.seen().startsWith("No text")) {
			assertThat(row.quoted()).as("text in backticks").isNotEmpty();
			assertThat(seen).contains(row.quoted());
		}
	}

	/**
	 * The text of another test, where long literals are in one piece.
	 */
	private static String testOf(String how) throws IOException {
		String type = how.substring(0, how.indexOf('#'));
		String method = how.substring(how.indexOf('#') + 1);
		try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
			Path file = files.filter((each) -> each.endsWith(type + ".java")).findFirst().orElseThrow();
			String source = Files.readString(file);
			assertThat(source).contains("void " + method + "(");
			return source.replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\"");
		}
	}

	private static Class<?> nested(String how) throws Exception {
		String type = how.substring(0, how.indexOf('.'));
		try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
			Path file = files.filter((each) -> each.endsWith(type + ".java")).findFirst().orElseThrow();
			String name = Path.of("src/test/java").relativize(file).toString().replace('/', '.').replace(".java", "");
			return ClassUtils.forName(name + "$" + how.substring(type.length() + 1), null);
		}
	}

	private static String[] properties(Class<?> bean) {
		Setting setting = bean.getAnnotation(Setting.class);
		return (setting != null) ? setting.value() : new String[0];
	}

	private static String start(Class<?> bean, CapturedLog log, String... properties) {
		List<String> seen = new ArrayList<>();
		boolean interfaces = bean.getSimpleName().endsWith("OfInterface");
		new ApplicationContextRunner()
			.withUserConfiguration(IdleStore.Wiring.class, interfaces ? InterfaceProxies.class : ClassProxies.class)
			.withConfiguration(AutoConfigurations.of(GuardAutoConfiguration.class))
			.withBean(RedisGuard.class, () -> mock(RedisGuard.class))
			.withPropertyValues(properties)
			.withInitializer((context) -> {
				RootBeanDefinition definition = new RootBeanDefinition(bean);
				Scope scope = bean.getAnnotation(Scope.class);
				definition.setScope((scope != null) ? scope.value() : "singleton");
				definition.setLazyInit(bean.isAnnotationPresent(Lazy.class));
				((GenericApplicationContext) context).registerBeanDefinition("orders", definition);
			})
			.run((context) -> {
				if (context.getStartupFailure() != null) {
					seen.add(messages(context.getStartupFailure()));
				}
				else {
					QueueListenerEndpointRegistry listeners = context.getBean(QueueListenerEndpointRegistry.class);
					seen.add("listeners: " + listeners.getContainers().size());
				}
			});
		log.entriesWith("io.redelay").forEach(seen::add);
		return String.join("\n", seen);
	}

	private static String send(Consumer<QueueOperations> action) {
		List<String> seen = new ArrayList<>();
		new ApplicationContextRunner().withUserConfiguration(IdleStore.Wiring.class).run((context) -> {
			try {
				action.accept(context.getBean(QueueOperations.class));
			}
			catch (RuntimeException ex) {
				seen.add(messages(ex));
			}
		});
		return String.join("\n", seen);
	}

	private static String lock(Class<?> bean) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			MyLockBeanPostProcessor processor = new MyLockBeanPostProcessor();
			processor.setProxyTargetClass(!Runnable.class.isAssignableFrom(bean));
			context.registerBean(MyLockBeanPostProcessor.class, () -> processor);
			context.registerBean("coupons", bean);
			context.refresh();
			return "";
		}
		catch (RuntimeException ex) {
			return messages(ex);
		}
	}

	private static String messages(Throwable failure) {
		List<String> messages = new ArrayList<>();
		for (Throwable each = failure; each != null; each = each.getCause()) {
			messages.add(String.valueOf(each.getMessage()));
		}
		return String.join("\n", messages);
	}

	/**
	 * A row of the page.
	 *
	 * @param how the comment before it
	 * @param seen what is seen
	 * @param quoted the parts of what is seen that are quoted
	 * @param mend what to do
	 */
	record Row(String how, String seen, List<String> quoted, String mend) {

		static Row of(String how, String text) {
			List<String> cells = Arrays.stream(text.replaceAll("\\s+", " ").split("\\|")).map(String::strip).toList();
			assertThat(cells).as(text).hasSize(4);
			List<String> quoted = Pattern.compile("`\\+?([^`]+?)\\+?`")
				.matcher(cells.get(2))
				.results()
				.flatMap((result) -> Stream.of(result.group(1).split("…")))
				.map(String::strip)
				.toList();
			return new Row(how, cells.get(2), quoted, cells.get(3));
		}

		@Override
		public String toString() {
			return this.how;
		}

	}

	/**
	 * Properties with which a mistake is one.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Setting {

		String[] value();

	}

	static class Circle {

		public Circle getSelf() {
			return this;
		}

	}

	static class Orders {

		@QueueListener("orders")
		void handle(String order) {
		}

	}

	@Lazy
	static class LazyOrders {

		@QueueListener("orders")
		void handle(String order) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OrdersConfiguration {

		@QueueListener("orders")
		void handle(String order) {
		}

		@Bean
		Object something() {
			return "";
		}

	}

	static final class FinalOrders {

		@QueueListener("orders")
		void handle(String order) {
		}

		@Async
		void advised() {
		}

	}

	static class OrdersOfInterface implements Runnable {

		@QueueListener("orders")
		public void handle(String order) {
		}

		@Async
		@Override
		public void run() {
		}

	}

	@Scope("request")
	static class OrdersOfARequest {

		@QueueListener("orders")
		void handle(String order) {
		}

	}

	static class NoUnit {

		@QueueListener(queues = "orders", backoff = @Backoff(initialInterval = "5"))
		void handle(String order) {
		}

	}

	static class NegativeBackoff {

		@QueueListener(queues = "orders", backoff = @Backoff(initialInterval = "-1s"))
		void handle(String order) {
		}

	}

	static class AsyncOrders {

		@QueueListener("orders")
		@Async
		void handle(String order) {
		}

	}

	static class TwoListeners {

		@QueueListener("orders")
		void handle(String order) {
		}

		@QueueListener("orders")
		void handleToo(String order) {
		}

	}

	static class SlowRetries {

		@QueueListener(queues = "orders", maxAttempts = "-1")
		void handle(String order) {
		}

	}

	static class NoCron {

		@RecurringMessage(name = "report")
		@QueueListener("orders")
		void handle(String order) {
		}

	}

	static class CronOfFiveFields {

		@RecurringMessage(name = "report", cron = "0 3 * * *")
		@QueueListener("orders")
		void handle(String order) {
		}

	}

	static class UnknownZone {

		@RecurringMessage(name = "report", cron = "@daily", zone = "Europe/Pari")
		@QueueListener("orders")
		void handle(String order) {
		}

	}

	static class NoQueueToTick {

		@RecurringMessage(name = "report", cron = "@daily")
		String report() {
			return "";
		}

	}

	static class SameName {

		@RecurringMessage(name = "report", cron = "@daily")
		@QueueListener("orders")
		void handle(String order) {
		}

		@RecurringMessage(queue = "orders", name = "report", cron = "@hourly")
		String report() {
			return "";
		}

	}

	@Setting("redelay.queue.queues.ordres.concurrency=2")
	static class OtherNameInProperties extends Orders {

	}

	@Setting("redelay.lock.enabled=false")
	@ImportAutoConfiguration({ LockAutoConfiguration.class, AopAutoConfiguration.class })
	@Configuration(proxyBeanMethods = false)
	static class LocksOff {

		@MyLock("x")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class ClassProxies {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class InterfaceProxies {

	}

}
