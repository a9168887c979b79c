package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleEvent.Type;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.TroubleKey;
import io.redelay.queue.script.admin.TroubleKey.Turn.State;
import io.redelay.test.CapturedLog;
import io.redelay.test.FreshLooks;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.options.KeysScanOptions;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for the events of queues in trouble. Each test has a prefix of its
 * own, for all queues of the prefix are looked at.
 */
class TroubleWatchIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Duration LONG = Duration.ofMinutes(1);

	private final String prefix = "trouble-" + UUID.randomUUID();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneInstanceOfEachApplicationReportsTrouble() {
		Recorder one = new Recorder();
		Recorder other = new Recorder();
		Methods methods = new Methods();
		try (ListenerApplication first = application("shop").bean(one).start();
				ListenerApplication second = application("shop").bean(other).start();
				ListenerApplication third = application("console").bean(methods).start()) {
			assertThat(List.of(second, third)).isNotEmpty();
			first.queues().send("orders", "x");
			QueueAdmin admin = first.bean(QueueAdmin.class);
			await().atMost(LONG).untilAsserted(() -> {
				assertThat(methods.events).hasSize(1);
				assertThat(one.events.size() + other.events.size()).isOne();
			});
			assertThat(methods.events.get(0)).satisfies((event) -> {
				assertThat(event.type()).isEqualTo(Type.BEGAN);
				assertThat(event.queue()).isEqualTo("orders");
				assertThat(event.kind()).isEqualTo(Kind.NO_CONSUMER);
				assertThat(event.severity()).isEqualTo(Severity.CRITICAL);
				assertThat(event.summary()).startsWith("No listener consumes it; 1 message waits, ");
				assertThat(event.mend()).contains("@QueueListener");
			});
			admin.control().purge("orders", MessageState.READY);
			await().atMost(LONG).untilAsserted(() -> {
				assertThat(methods.events).hasSize(2);
				assertThat(one.events.size() + other.events.size()).isEqualTo(2);
			});
			assertThat(methods.events.get(1).type()).isEqualTo(Type.ENDED);
			assertThat(methods.events.get(1).since()).isEqualTo(methods.events.get(0).since());
			assertThat(one.events.isEmpty() || other.events.isEmpty()).as("one of the two").isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void withoutAListenerNothingIsAsked() {
		try (ListenerApplication application = application("shop").start()) {
			application.queues().send("orders", "x");
			assertThat(application.bean(TroubleWatch.class).isRunning()).isTrue();
			await().during(Duration.ofSeconds(3)).atMost(LONG).until(() -> keys().isEmpty());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@ExtendWith(CapturedLog.Extension.class)
	void aListenerThatFailsOrBlocksKeepsNothingFromOthers(CapturedLog log) {
		CountDownLatch blocked = new CountDownLatch(1);
		Recorder recorder = new Recorder();
		TroubleListener blocking = (event) -> blocked.await();
		TroubleListener failing = (event) -> {
			throw new IllegalStateException("no mail for " + event.queue());
		};
		try (ListenerApplication application = application("shop").bean("a", blocking)
			.bean("b", failing)
			.bean("c", recorder)
			.start()) {
			String queue = TestRedis.queue();
			application.queues().send(queue, "x");
			await().atMost(LONG).untilAsserted(() -> {
				assertThat(recorder.events).hasSize(1);
				assertThat(log.entriesWith("A listener to trouble failed: " + getClass().getName(), queue, "no mail"))
					.hasSize(1);
			});
			blocked.countDown();
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void anApplicationWithoutANameIsToldThatItSharesItsTurn(CapturedLog log) {
		application("shop").bean(new Recorder()).start().close();
		application("").start().close();
		assertThat(log.entriesWith("WARN", "Applications without spring.application.name")).isEmpty();
		application("").bean(new Recorder()).start().close();
		assertThat(log.entriesWith("WARN", "Applications without spring.application.name")).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anApplicationThatIsStoppedAndStartedGoesOn() {
		Recorder recorder = new Recorder();
		try (ListenerApplication application = application("shop").bean(recorder).start()) {
			application.queues().send("orders", "x");
			await().atMost(LONG).untilAsserted(() -> assertThat(recorder.events).hasSize(1));
			application.context().stop();
			application.context().start();
			application.bean(QueueAdmin.class).control().purge("orders", MessageState.READY);
			await().atMost(LONG).untilAsserted(() -> assertThat(recorder.events).hasSize(2));
			assertThat(recorder.events).extracting(TroubleEvent::type).containsExactly(Type.BEGAN, Type.ENDED);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRequestThatIsSentTwiceIsAnsweredWithWhatIsKeptAndChangesNothing() {
		try (ListenerApplication application = application("shop").start()) {
			TroubleKey key = new TroubleKey(application.bean(AdminScripts.class).runner(), "shop");
			Map<String, String> troubles = Map.of("orders", "a", "mails", "b");
			assertThat(key.take(request("one", 1, LONG, Map.of())).join().state()).isEqualTo(State.TAKEN);
			assertThat(key.take(request("one", 2, LONG, troubles)).join().state()).isEqualTo(State.OK);
			assertThat(key.take(request("one", 2, LONG, Map.of())).join().kept()).isEqualTo(troubles);
			assertThat(key.take(request("one", 3, Duration.ZERO, troubles)).join().state()).isEqualTo(State.OK);
			for (int i = 0; i < 3; i++) {
				TroubleKey.Turn taken = key.take(request("other", 1, LONG, Map.of())).join();
				assertThat(taken).isEqualTo(new TroubleKey.Turn(State.TAKEN, Duration.ZERO, troubles));
			}
			assertThat(key.take(request("other", 2, LONG, Map.of())).join().state()).isEqualTo(State.OK);
			assertThat(key.take(request("other", 2, LONG, troubles)).join().kept()).isEmpty();
			assertThat(key.take(request("one", 4, LONG, troubles)).join().state()).isEqualTo(State.OTHER);
		}
	}

	private static TroubleKey.Request request(String owner, int number, Duration lease, Map<String, String> troubles) {
		return new TroubleKey.Request(owner, number, lease, troubles);
	}

	@ParameterizedTest
	@CsvSource({ "redelay.trouble.interval, 999ms, must be at least 1000ms",
			"redelay.trouble.hold, -1s, must be at least 0ms" })
	void whatCannotBeIsRefusedAtTheStart(String property, String value, String message) {
		assertThatThrownBy(() -> ListenerApplication.on(redis).with(property, value).start().close())
			.hasStackTraceContaining("'" + property + "' " + message);
	}

	private List<String> keys() {
		List<String> keys = new ArrayList<>();
		redis.client()
			.getKeys()
			.getKeys(KeysScanOptions.defaults().pattern(this.prefix + ":trouble:*"))
			.forEach(keys::add);
		return keys;
	}

	private ListenerApplication.Builder application(String name) {
		return ListenerApplication.on(redis)
			.beans(FreshLooks.class)
			.with("redelay.queue.key-prefix", this.prefix)
			.with("spring.application.name", name)
			.with("redelay.trouble.interval", "1s")
			.with("redelay.trouble.hold", "0s");
	}

	static class Recorder implements TroubleListener {

		final List<TroubleEvent> events = new CopyOnWriteArrayList<>();

		@Override
		public void onTrouble(TroubleEvent event) {
			this.events.add(event);
		}

	}

	static class Methods {

		final List<TroubleEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void on(TroubleEvent event) {
			this.events.add(event);
		}

	}

}
