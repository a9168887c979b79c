package io.redelay.docs;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

import io.redelay.autoconfigure.GuardAutoConfiguration;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.lock.LockNameException;
import io.redelay.lock.MyLock;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mistakes of the page {@code mistakes.adoc} that show only with a Redis.
 */
class MistakesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String QUEUE = TestRedis.queue();

	private static final Handlers handlers = new Handlers();

	private static ListenerApplication application;

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.beans(Locks.class)
			.bean(handlers)
			.bean(new Coupons())
			.with("q", QUEUE)
			.with("redelay.queue.listener.max-attempts", 1)
			.with("redelay.queue.queues[" + QUEUE + "-forever].max-handling-time", "200ms")
			.start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = {
			"constructor | Make NoConstructor a record, or give it a constructor without parameters, or a public one of all its properties; in Kotlin, add tools.jackson.module:jackson-module-kotlin",
			"inner | Make the class Inner static",
			"abstract | Take a class that is not abstract, or name its classes with @JsonTypeInfo and @JsonSubTypes" })
	void payloadsThatCannotBeMade(String queue, String words) {
		application.queues().send(QUEUE + "-" + queue, Map.of("id", 7));
		assertThat(QueueState.of(redis, QUEUE + "-" + queue).awaitDead().message())
			.startsWith("It does not fit the listener 'Handlers.")
			.contains(words);
	}

	@Test
	void textInPlaceOfAnObject() {
		application.queues().send(QUEUE + "-text", "{\"id\":7}");
		assertThat(QueueState.of(redis, QUEUE + "-text").awaitDead().message())
			.contains("What is sent as a string is text: send the object itself instead of its JSON");
	}

	@Test
	void aFutureThatNeverCompletes() {
		application.queues().send(QUEUE + "-forever", "x");
		assertThat(QueueState.of(redis, QUEUE + "-forever").awaitDead().message())
			.contains("The handling was not complete after PT0.2S, which is its maxHandlingTime");
	}

	@Test
	void aRenamedPropertyIsNull() {
		application.queues().send(QUEUE + "-renamed", Map.of("number", 7));
		application.queues().send(QUEUE + "-hidden", new Hidden(7));
		Awaitility.await().until(() -> handlers.got.containsAll(List.of("orderNumber=null", "id=0")));
	}

	@Test
	void aZoneIsLost() {
		ZonedDateTime time = ZonedDateTime.of(2027, 1, 31, 18, 0, 0, 0, ZoneId.of("Europe/Paris"));
		application.queues().send(QUEUE + "-time", new Times(time, time.toLocalDateTime()));
		Awaitility.await().until(() -> handlers.times.get() != null);
		assertThat(handlers.times.get().zoned().toInstant()).isEqualTo(time.toInstant());
		assertThat(handlers.times.get().zoned().getZone().normalized()).isEqualTo(ZoneOffset.UTC);
		JsonMapper mapper = JsonMapper.builder()
			.enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
			.build();
		assertThat(mapper.readValue(mapper.writeValueAsString(time), ZonedDateTime.class)).isEqualTo(time);
	}

	@Test
	void whatIsNotAMistakeForJackson() {
		LocalDateTime sent = LocalDateTime.of(2027, 1, 31, 18, 0);
		assertThat(JsonMapper.shared()
			.readValue(JsonMapper.shared().writeValueAsString(new Times(null, sent)), Times.class))
			.isEqualTo(new Times(null, sent));
	}

	@Test
	void aLockWhoseNameIsNull() {
		assertThatExceptionOfType(LockNameException.class).isThrownBy(() -> application.bean(Coupons.class).use(null))
			.withMessageContaining("the part #{code} is null, so different calls would share one lock");
	}

	@Test
	void aCallOfItsOwnMethodTakesNoLock() {
		// With a lock, the name would be refused.
		assertThat(application.bean(Coupons.class).useFirst()).isEqualTo("used null");
	}

	@Test
	void aSendAfterTheEnd() {
		runner().run((context) -> {
			QueueOperations queues = context.getBean(QueueOperations.class);
			context.close();
			assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> queues.send(QUEUE, "x"))
				.withMessageContaining("the Redis client is shut down")
				.withMessageContaining("it is not sent again, for the application is closing");
		});
	}

	@Test
	void aSendInAConstructorIsNone() {
		runner().withBean(Early.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(QueueState.of(redis, QUEUE + "-early").ready()).isEqualTo(1);
	}

	@Test
	void noLettuceIsNone() {
		runner().withClassLoader(new FilteredClassLoader("io.lettuce")).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean("redisConnectionFactory");
			assertThat(context.getBean(QueueOperations.class).send(QUEUE + "-plain", "x").id()).isNotNull();
		});
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
					QueueAutoConfiguration.class, GuardAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.url=" + redis.uri(), "q=" + QUEUE);
	}

	record Order(Integer orderNumber) {

	}

	record Times(ZonedDateTime zoned, LocalDateTime local) {

	}

	static final class NoConstructor {

		private final int id;

		NoConstructor(int id, String name) {
			this.id = id + name.length();
		}

		public int getId() {
			return this.id;
		}

	}

	@SuppressWarnings("ClassCanBeStatic")
	class Inner {

		public int id;

	}

	abstract static class Abstract {

		public int id;

	}

	static class Hidden {

		private final int id;

		Hidden() {
			this(0);
		}

		Hidden(int id) {
			this.id = id;
		}

	}

	static class Handlers {

		final Queue<String> got = new ConcurrentLinkedQueue<>();

		final AtomicReference<Times> times = new AtomicReference<>();

		@QueueListener("${q}-constructor")
		void handle(NoConstructor payload) {
		}

		@QueueListener("${q}-inner")
		void handle(Inner payload) {
		}

		@QueueListener("${q}-abstract")
		void handle(Abstract payload) {
		}

		@QueueListener("${q}-text")
		void handleText(Order payload) {
		}

		@QueueListener("${q}-forever")
		CompletableFuture<Void> handle(String payload) {
			return new CompletableFuture<>();
		}

		@QueueListener("${q}-renamed")
		void handle(Order payload) {
			this.got.add("orderNumber=" + payload.orderNumber());
		}

		@QueueListener("${q}-time")
		void handle(Times payload) {
			this.times.set(payload);
		}

		@QueueListener("${q}-hidden")
		void handle(Hidden payload) {
			this.got.add("id=" + payload.id);
		}

	}

	static class Coupons {

		@MyLock("coupon:#{code}")
		public String use(String code) {
			return "used " + code;
		}

		public String useFirst() {
			return use(null);
		}

	}

	static class Early {

		Early(QueueOperations queues) {
			queues.send(QUEUE + "-early", "x");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Locks {

	}

}
