package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.QueueException;
import io.redelay.queue.wire.WakeUpSource;
import org.junit.jupiter.api.Test;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link InstanceCalls}.
 */
class InstanceCallsTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final Channel channel = new Channel();

	private final InstanceCalls calls = new InstanceCalls(() -> this.channel);

	@Test
	void waitsForTheAnswersOfAll() {
		CompletableFuture<Map<String, String>> answers = ask("a", "b");
		await().until(() -> this.channel.asked.size() == 2);
		this.calls.answered(number(), "a", "one");
		this.calls.answered(number(), "stranger", "x");
		this.calls.answered("other", "b", "x");
		assertThat(answers).isNotDone();
		this.calls.answered(number(), "b", "two");
		assertThat(answers).succeedsWithin(LONG).isEqualTo(Map.of("a", "one", "b", "two"));
		assertThat(this.channel.subscribed).as("it is unsubscribed from").isZero();
	}

	@Test
	void asksWhenAnswersAreHeard() {
		this.channel.active = false;
		CompletableFuture<Map<String, String>> answers = ask("a");
		await().until(() -> this.channel.subscribed == 1);
		this.calls.wakeUpAll();
		assertThat(this.channel.asked).isEmpty();
		this.channel.active = true;
		this.calls.wakeUpAll();
		this.calls.wakeUpAll();
		assertThat(this.channel.asked).as("once").hasSize(1);
		this.calls.answered(number(), "a", "one");
		assertThat(answers).succeedsWithin(LONG).isEqualTo(Map.of("a", "one"));
	}

	@Test
	void nobodyIsSilentWhoWasNotAsked() {
		this.channel.active = false;
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> this.calls.ask(List.of("a"), "q", Duration.ofMillis(20), (answer) -> false))
			.withMessageContaining("hears no answers");
	}

	@Test
	void thoseThatAreSilentAreLeftOut() {
		Map<String, String> answers = this.calls.ask(List.of("a"), "q", Duration.ofMillis(20), (answer) -> false);
		assertThat(answers).isEmpty();
		assertThat(this.channel.subscribed).isZero();
		assertThat(this.calls.ask(List.of(), "q", LONG, (answer) -> false)).as("nobody is asked").isEmpty();
	}

	@Test
	void waitsForNoOtherWhenOneIsEnough() {
		CompletableFuture<Map<String, String>> answers = CompletableFuture
			.supplyAsync(() -> this.calls.ask(List.of("a", "b"), "q", LONG, "found"::equals));
		await().until(() -> this.channel.asked.size() == 2);
		this.calls.answered(number(), "a", "found");
		assertThat(answers).succeedsWithin(LONG).isEqualTo(Map.of("a", "found"));
	}

	@Test
	void openQuestionsAreBounded() {
		List<CompletableFuture<Map<String, String>>> all = new CopyOnWriteArrayList<>();
		List<Thread> threads = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Map<String, String>> answers = new CompletableFuture<>();
			Thread thread = new Thread(
					() -> answers.complete(this.calls.ask(List.of("a"), "q", LONG, (answer) -> false)));
			thread.setDaemon(true);
			thread.start();
			threads.add(thread);
			all.add(answers);
		}
		await().until(() -> this.channel.asked.size() == 100);
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> this.calls.ask(List.of("a"), "q", LONG, (answer) -> false))
			.withMessageContaining("100 questions");
		this.channel.asked.forEach((asked) -> this.calls.answered(asked.split(" ")[1], "a", "x"));
		assertThat(all).allSatisfy((answers) -> assertThat(answers).succeedsWithin(LONG));
	}

	private CompletableFuture<Map<String, String>> ask(String... instances) {
		return CompletableFuture.supplyAsync(() -> this.calls.ask(List.of(instances), "q", LONG, (answer) -> false));
	}

	private String number() {
		return this.channel.asked.get(0).split(" ")[1];
	}

	private static final class Channel implements WakeUpSource {

		private final List<String> asked = new CopyOnWriteArrayList<>();

		private volatile boolean active = true;

		private volatile int subscribed;

		@Override
		public String instance() {
			return "asker";
		}

		@Override
		public Subscription subscribe(Listener listener) {
			this.subscribed++;
			return new Subscription() {

				@Override
				public void close() {
					Channel.this.subscribed--;
				}

				@Override
				public boolean isActive() {
					return Channel.this.active;
				}

			};
		}

		@Override
		public void redisIsBack() {
		}

		@Override
		public String prefix() {
			return "wake:";
		}

		@Override
		public void ask(String other, String number, String question) {
			this.asked.add(other + " " + number + " " + question);
		}

	}

}
