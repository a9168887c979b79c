package io.redelay.queue.recurring;

import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.queue.work.RecurringState;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

/**
 * Tests of recurring messages that cannot work: the application does not start, and the
 * failure says where it is and how to mend it.
 */
class InvalidRecurringMessageTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
		.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
		.withBean(QueueScripts.class, () -> new IdleStore().scripts())
		.withBean(RecurringStore.class, AbsentRecurringStore::new)
		.withBean(AdminScripts.class, IdleStore::admin)
		.withPropertyValues("redelay.queue.listener.auto-startup=false");

	@ParameterizedTest
	@MethodSource
	void aPropertyThatCannotWorkIsRefused(String properties, String problem) {
		this.application
			.withPropertyValues(Stream.of(properties.split(";"))
				.map((each) -> "redelay.queue.recurring.nightly." + each)
				.toArray(String[]::new))
			.run((context) -> assertThat(refusal(context)).hasMessageContaining("'redelay.queue.recurring.nightly'")
				.hasMessageContaining(problem));
	}

	static Stream<Arguments> aPropertyThatCannotWorkIsRefused() {
		return Stream.of(arguments("queue=reports;cron=0 0 0 30 2 *", "never ticks"),
				arguments("queue=reports;cron=each day", "is not a cron expression"),
				arguments("queue=reports;cron=@daily;zone=Europe/Bärlin", "there is no zone 'Europe/Bärlin'"),
				arguments("queue=reports;cron=@daily;every=1d", "a cron expression and an interval"),
				arguments("queue=reports;every=1d;zone=UTC", "a zone but no cron expression"),
				arguments("queue=reports;every=1ms", "its interval is 1 ms"),
				arguments("queue=reports;missed=once", "neither a cron expression nor an interval"),
				arguments("queue=reports of;every=1d", "'reports of' is not the name of a queue"),
				arguments("queue=orders@billing;every=1d", "is a topic's group, not a queue"),
				arguments("every=1d", "it has no queue"),
				arguments("queue=reports;every=1d;max-missed=0", "how many missed ticks run at most: 0"),
				arguments("queue=reports;every=1d;max-queued=1001", "how many ticks wait at most: 1001"),
				arguments("queue=reports;every=1d;from=2027-02-01T00:00:00Z;until=2027-01-01T00:00:00Z",
						"it never runs: it ends at 2027-01-01T00:00:00Z, before it begins"),
				arguments("queue=reports;every=1d;from=tomorrow", "its 'from' is not a point in time: 'tomorrow'"),
				arguments("queue=reports;every=1d;until=1969-01-01T00:00:00Z", "its 'until' is 1969"),
				arguments("queue=reports;cron=0 0 12 * * *;zone=UTC;from=2027-01-01T13:00:00;until=2027-01-02T11:00:00",
						"has no tick from 2027-01-01T13:00:00Z until 2027-01-02T11:00:00Z"),
				arguments("queue=reports;every=1d;max-runs=0", "it runs 0 times in all"),
				arguments("queue=reports;every=1h;jitter=1h", "its jitter of PT1H is not shorter than the time"),
				arguments("queue=reports;cron=0 0,5 12 * * *;zone=UTC;jitter=6m",
						"its jitter of PT6M is not shorter than the time between its ticks at"),
				arguments("queue=reports;every=1h;jitter=-1s", "its jitter is PT-1S"),
				arguments("queue=reports;every=1d;run-at-declaration=true;from=2027-01-01T00:00:00Z",
						"it is to run at its declaration, and not before 2027"),
				arguments("queue=reports;every=1d;priority=10", "'priority' must be 0 to 9: 10"),
				arguments("queue=reports;every=1d;max-attempts=0", "'maxAttempts' must be at least 1: 0"),
				arguments("queue=reports;every=1d;dead-letter-queue=reports",
						"'deadLetterQueue' must not be the queue"),
				arguments("queue=reports;every=1d;headers.contentType=x", "'name' of a header"));
	}

	@ParameterizedTest
	@MethodSource
	void anAnnotationThatCannotWorkIsRefused(Class<?> bean, String problem) {
		this.application.withBean(bean)
			.run((context) -> assertThat(refusal(context))
				.hasMessageContaining("@RecurringMessage on the method " + bean.getName())
				.hasMessageContaining(problem));
	}

	static Stream<Arguments> anAnnotationThatCannotWorkIsRefused() {
		return Stream.of(arguments(NoPayload.class, "neither a @QueueListener nor does it make a payload"),
				arguments(SeveralQueues.class, "which of the queues of the @QueueListener"),
				arguments(SeveralListeners.class, "which of the queues of the @QueueListener"),
				arguments(Unnamed.class, "this one has no 'name'"),
				arguments(OfTopic.class, "the @QueueListener listens to a topic"),
				arguments(NoDuration.class, "'every' is not a duration such as 15m: 'often'"),
				arguments(NoProperty.class, "its attribute 'cron', '${no.such}', has a placeholder for a property"),
				arguments(NoBean.class,
						"the expression in its attribute 'name', '#{@nobody.name}', cannot be evaluated"),
				arguments(Failing.class, "the method could not make the payload"),
				arguments(NoFlag.class, "'runAtDeclaration' is neither true nor false: 'perhaps'"),
				arguments(NoHeader.class, "its attribute 'headers' has no name and value: 'tenant'"),
				arguments(NoRuns.class, "it runs 0 times in all"));
	}

	@ParameterizedTest
	@MethodSource
	void aHandlerThatTakesAStateOfNoRecurringMessageIsRefused(Class<?> bean, String problem) {
		this.application.withBean(bean)
			.run((context) -> assertThat(refusal(context)).hasMessageContaining("The listener method " + bean.getName())
				.hasMessageContaining(problem)
				.hasMessageContaining("Add @RecurringMessage to the method"));
	}

	static Stream<Arguments> aHandlerThatTakesAStateOfNoRecurringMessageIsRefused() {
		return Stream.of(arguments(StateOfNothing.class, "declares no recurring message of the queues [orders]"),
				arguments(StateOfTopic.class, "declares no recurring message of a queue that it listens to"),
				arguments(StateOfClass.class, "declares no recurring message of the queues [orders]"));
	}

	@Test
	void aHandlerThatTakesAStateOfADeclarationElsewhereIsNotRefused() {
		this.application.withBean(StateOfNothing.class)
			.withBean(StateOfOthers.class)
			.withPropertyValues("redelay.queue.recurring.nightly.queue=orders",
					"redelay.queue.recurring.nightly.cron=0 0 3 * * *")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theApiRefusesWhatIsAboutASingleSend() {
		this.application.run((context) -> {
			RecurringMessages recurring = context.getBean(RecurringMessages.class);
			RecurringDeclaration daily = RecurringDeclaration.every("reports", "daily", Duration.ofDays(1));
			Stream.<java.util.function.UnaryOperator<OutboundMessage>>of((message) -> message.id("x"),
					(message) -> message.delay(Duration.ofSeconds(1)),
					(message) -> message.spread(Duration.ofSeconds(1)),
					(message) -> message.deduplicate(Deduplication.firstWins("x", Duration.ofSeconds(1))),
					(message) -> message.inTransaction(false), OutboundMessage::inDelivery,
					(message) -> message.deadline(java.time.Instant.parse("2030-01-01T00:00:00Z")),
					(message) -> message.deadHoldsKey(true), (message) -> message.header("large", "x".repeat(20_000)))
				.forEach((options) -> assertThatExceptionOfType(InvalidRecurringMessageException.class)
					.isThrownBy(() -> recurring.declare(daily.options(options))));
		});
	}

	@Test
	void twoOfOneNameThatDifferAreRefusedWithBothPlaces() {
		this.application.withBean(Nightly.class)
			.withPropertyValues("redelay.queue.recurring.nightly.queue=reports",
					"redelay.queue.recurring.nightly.cron=0 0 3 * * *", "redelay.queue.recurring.nightly.zone=UTC")
			.run((context) -> assertThat(refusal(context))
				.hasMessageContaining("'nightly' is that of another one, which is declared differently")
				.hasMessageContaining("'redelay.queue.recurring.nightly'")
				.hasMessageContaining("Nightly.handle")
				.hasMessageContaining("0 0 3 * * * (UTC)")
				.hasMessageContaining("0 0 2 * * * (UTC)"));
	}

	@Test
	void twoOfOneNameThatAreTheSameAreOne() {
		this.application.withBean(Nightly.class)
			.withPropertyValues("redelay.queue.recurring.nightly.queue=reports",
					"redelay.queue.recurring.nightly.cron=0 0 2 * * *", "redelay.queue.recurring.nightly.zone=UTC")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theApiRefusesTheSame() {
		this.application.run((context) -> {
			RecurringMessages recurring = context.getBean(RecurringMessages.class);
			Function<RecurringDeclaration, Throwable> refusal = (declaration) -> org.assertj.core.api.Assertions
				.catchThrowable(() -> recurring.declare(declaration));
			assertThat(refusal.apply(RecurringDeclaration.every("reports", "a b", Duration.ofDays(1))))
				.isInstanceOf(InvalidRecurringMessageException.class)
				.hasMessageContaining("'a b' is not a name");
			assertThat(refusal
				.apply(RecurringDeclaration.every("reports", "large", Duration.ofDays(1)).payload("x".repeat(70_000))))
				.isInstanceOf(InvalidRecurringMessageException.class)
				.hasMessageContaining("its payload has 70000 bytes");
		});
	}

	private static @Nullable Throwable refusal(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		while (failure != null && !(failure instanceof InvalidRecurringMessageException)) {
			failure = failure.getCause();
		}
		return failure;
	}

	static class NoProperty {

		@RecurringMessage(queue = "reports", cron = "${no.such}")
		String payload() {
			return "";
		}

	}

	static class NoBean {

		@RecurringMessage(queue = "reports", every = "1d", name = "#{@nobody.name}")
		String payload() {
			return "";
		}

	}

	static class NoPayload {

		@RecurringMessage(queue = "reports", every = "1d")
		void handle(String payload) {
		}

	}

	static class SeveralQueues {

		@RecurringMessage(every = "1d")
		@QueueListener({ "a", "b" })
		void handle(RecurringTick tick) {
		}

	}

	static class OfTopic {

		@RecurringMessage(every = "1d")
		@QueueListener(topic = "news", group = "mail")
		void handle(RecurringTick tick) {
		}

	}

	static class NoDuration {

		@RecurringMessage(every = "often")
		@QueueListener("reports")
		void handle(RecurringTick tick) {
		}

	}

	static class Failing {

		@RecurringMessage(queue = "reports", every = "1d")
		String payload() {
			throw new IllegalStateException("thrown by a test");
		}

	}

	static class Nightly {

		@RecurringMessage(name = "nightly", cron = "0 0 2 * * *", zone = "UTC")
		@QueueListener("reports")
		void handle(RecurringTick tick) {
		}

	}

	static class SeveralListeners {

		@QueueListener("reports")
		@QueueListener("other-reports")
		@RecurringMessage(every = "1d")
		void handle(RecurringTick tick) {
		}

	}

	static class Unnamed {

		@QueueListener("reports")
		@RecurringMessage(every = "1d", name = "daily")
		@RecurringMessage(every = "1h")
		void handle(RecurringTick tick) {
		}

	}

	static class NoFlag {

		@QueueListener("reports")
		@RecurringMessage(every = "1d", runAtDeclaration = "perhaps")
		void handle(RecurringTick tick) {
		}

	}

	static class NoHeader {

		@QueueListener("reports")
		@RecurringMessage(every = "1d", headers = "tenant")
		void handle(RecurringTick tick) {
		}

	}

	static class NoRuns {

		@QueueListener("reports")
		@RecurringMessage(every = "1d", maxRuns = "0")
		void handle(RecurringTick tick) {
		}

	}

	static class StateOfNothing {

		@QueueListener("orders")
		void handle(String payload, RecurringState<String> state) {
		}

	}

	static class StateOfTopic {

		@QueueListener(topic = "news", group = "mail")
		void handle(String payload, RecurringState<String> state) {
		}

	}

	@QueueListener("orders")
	static class StateOfClass {

		@QueueHandler("order")
		void handle(String payload, RecurringState<String> state) {
		}

	}

	static class StateOfOthers {

		@QueueListener("elsewhere")
		@RecurringMessage(cron = "-")
		void handle(String payload, RecurringState<String> state) {
		}

	}

}
