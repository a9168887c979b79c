package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.Backoff;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.CheckpointException;
import io.redelay.queue.work.MessageDelivery;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that dies, is asked to stop, or stands still in the middle of work that
 * takes long, beside another one that goes on with it. The work is lines that are written
 * down outside of the queue.
 */
@Tag("full")
class WorkCrashIntegrationTests extends FaultTests {

	private static final int LINES = 60;

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void onlyLinesAfterTheLastCheckpointAreWrittenTwiceWhenAnInstanceIsKilled() {
		InstanceProcess victim = process(LineWriter.class, "test.instance=victim", "test.handling=100ms",
				"test.unfinished=true");
		ConfigurableApplicationContext survivor = instance(LineWriter.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		queue(survivor).send(this.queue, "work");
		awaitLines(redisson, "saved", "victim", 2);
		victim.kill();
		start(survivor);
		awaitLines(redisson, "done", "here", 1);
		int from = numbers(redisson, "from", "here").get(0);
		List<Integer> saved = numbers(redisson, "saved", "victim");
		assertThat(from).isGreaterThanOrEqualTo(saved.get(saved.size() - 1));
		List<Integer> before = numbers(redisson, "line", "victim");
		assertThat(before).as("the victim died in the middle").hasSizeBetween(from, LINES - 1);
		assertThat(before).isEqualTo(lines(0, before.size()));
		assertThat(numbers(redisson, "line", "here")).isEqualTo(lines(from, LINES));
		assertThat(Journal.read(redisson, this.queue, "done")).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void noLineIsWrittenTwiceAndNoAttemptCountedWhenAnInstanceIsAskedToStop() {
		InstanceProcess stopping = process(LineWriter.class, "test.instance=stopping", "test.handling=100ms",
				"test.unfinished=true");
		ConfigurableApplicationContext survivor = instance(LineWriter.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		queue(survivor).send(OutboundMessage.to(this.queue, "work").maxAttempts(1));
		awaitLines(redisson, "line", "stopping", 7);
		stopping.terminate();
		start(survivor);
		awaitLines(redisson, "done", "here", 1);
		List<Integer> before = numbers(redisson, "line", "stopping");
		assertThat(before).as("it stopped in the middle").hasSizeLessThan(LINES);
		assertThat(numbers(redisson, "attempt", "here")).containsExactly(1);
		assertThat(numbers(redisson, "from", "here")).containsExactly(before.size());
		assertThat(numbers(redisson, "line", "here")).isEqualTo(lines(before.size(), LINES));
		assertThat(Journal.read(redisson, this.queue, "done")).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anInstancePausedPastItsLeaseSavesNothingAnyMoreAndLearnsThatItLostTheMessage() {
		InstanceProcess paused = process(HoldingWriter.class, "test.instance=paused");
		ConfigurableApplicationContext other = instance(HoldingWriter.class, "test.listening=false");
		RedissonClient redisson = redisson(other);
		queue(other).send(this.queue, "work");
		awaitLines(redisson, "saved", "paused", 1);
		paused.pause();
		start(other);
		awaitLines(redisson, "saved", "here", 1);
		assertThat(numbers(redisson, "from", "here")).containsExactly(1);
		paused.resume();
		say(redisson, "paused");
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "reason"))
				.containsExactly(CancellationReason.LEASE_LOST.name()));
		assertThat(Journal.payloads(redisson, this.queue, "refused"))
			.containsExactly(CheckpointException.Reason.LOST.name());
		paused.kill();
		say(redisson, "here");
		awaitLines(redisson, "done", "here", 1);
		assertThat(numbers(redisson, "from", "here")).as("what it saved itself before it failed").containsExactly(1, 2);
		assertThat(Journal.read(redisson, this.queue, "done")).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCancelReachesTheInstanceThatHasTheMessage() {
		InstanceProcess working = process(LineWriter.class, "test.instance=working", "test.handling=100ms",
				"test.unfinished=true");
		ConfigurableApplicationContext here = instance(LineWriter.class, "test.listening=false");
		RedissonClient redisson = redisson(here);
		queue(here).send(OutboundMessage.to(this.queue, "work").id("work"));
		awaitLines(redisson, "line", "working", 1);
		assertThat(here.getBean(QueueAdmin.class).messages().cancel(this.queue, "work").done()).isTrue();
		Awaitility.await().until(() -> here.getBean(QueueAdmin.class).messages().find(this.queue, "work").isEmpty());
		assertThat(Journal.payloads(redisson, this.queue, "reason"))
			.containsExactly(CancellationReason.CANCELLED.name());
		assertThat(numbers(redisson, "line", "working")).hasSizeLessThan(LINES);
		assertThat(working.isAlive()).isTrue();
		assertThat(Journal.read(redisson, this.queue, "from")).hasSize(1);
	}

	private static List<Integer> lines(int from, int until) {
		return IntStream.range(from, until).boxed().toList();
	}

	/**
	 * The numbers that an instance wrote down.
	 */
	private List<Integer> numbers(RedissonClient redisson, String event, String instance) {
		return Journal.read(redisson, this.queue, event)
			.stream()
			.filter((line) -> line.endsWith(" " + instance))
			.map((line) -> Integer.valueOf(line.split(" ")[1]))
			.toList();
	}

	private void awaitLines(RedissonClient redisson, String event, String instance, int count) {
		Awaitility.await().until(() -> numbers(redisson, event, instance).size() >= count);
	}

	private void say(RedissonClient redisson, String whoseTurn) {
		redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).set(whoseTurn);
	}

	private static void start(ConfigurableApplicationContext instance) {
		instance.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
	}

	/**
	 * Writes lines, saves each with the next renewal and each fifth at once, and ends
	 * between two lines when it is asked to.
	 */
	@Import(Journal.class)
	static class LineWriter {

		private final Journal journal;

		private final Duration handling;

		/**
		 * Whether the last line is never written, so that the instance is in the middle
		 * however late the test ends it.
		 */
		private final boolean unfinished;

		LineWriter(Journal journal, @Value("${test.handling:5ms}") Duration handling,
				@Value("${test.unfinished:false}") boolean unfinished) {
			this.journal = journal;
			this.handling = handling;
			this.unfinished = unfinished;
		}

		@QueueListener(queues = "${test.queue}", autoStartup = "${test.listening:true}")
		void handle(String work, Checkpoint<Integer> checkpoint, MessageDelivery delivery) throws InterruptedException {
			int from = checkpoint.get().orElse(0);
			this.journal.write("attempt", String.valueOf(delivery.info().attempt()));
			this.journal.write("from", String.valueOf(from));
			for (int line = from; line < LINES; line++) {
				do {
					endIfCancelled(delivery.cancellation());
					TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
				}
				while (this.unfinished && line == LINES - 1);
				this.journal.write("line", String.valueOf(line));
				if (line % 5 == 4) {
					checkpoint.saveNow(line + 1);
					this.journal.write("saved", String.valueOf(line + 1));
				}
				else {
					checkpoint.save(line + 1);
				}
			}
			this.journal.write("done", String.valueOf(LINES));
		}

		private void endIfCancelled(CancellationToken token) {
			CancellationReason reason = token.reason();
			if (reason != null) {
				this.journal.write("reason", reason.name());
				token.throwIfCancelled();
			}
		}

	}

	/**
	 * Saves one more than it found and holds its message until it is its turn. Then the
	 * instance that was paused tries to save far more, in each way, and the other one
	 * fails once.
	 */
	@Import(Journal.class)
	static class HoldingWriter {

		private final Journal journal;

		private final RedissonClient redisson;

		@Value("${test.queue}")
		private String queue = "";

		@Value("${test.instance:here}")
		private String instance = "";

		HoldingWriter(Journal journal, RedissonClient redisson) {
			this.journal = journal;
			this.redisson = redisson;
		}

		@QueueListener(queues = "${test.queue}", autoStartup = "${test.listening:true}",
				backoff = @Backoff(initialInterval = "10ms"))
		void handle(String work, Checkpoint<Integer> checkpoint, MessageDelivery delivery) {
			int from = checkpoint.get().orElse(0);
			this.journal.write("from", String.valueOf(from));
			if (from == 2) {
				this.journal.write("done", String.valueOf(from));
				return;
			}
			checkpoint.saveNow(from + 1);
			this.journal.write("saved", String.valueOf(from + 1));
			Awaitility.await()
				.atMost(Duration.ofMinutes(5))
				.until(() -> this.instance
					.equals(this.redisson.getBucket("say:" + this.queue, StringCodec.INSTANCE).get()));
			if (this.instance.equals("paused")) {
				saveTooLate(checkpoint);
				Awaitility.await().atMost(Duration.ofMinutes(5)).until(delivery.cancellation()::isCancelled);
				this.journal.write("reason", String.valueOf(delivery.cancellation().reason()));
			}
			throw new IllegalStateException("thrown by a test");
		}

		private void saveTooLate(Checkpoint<Integer> checkpoint) {
			try {
				checkpoint.save(100);
				checkpoint.saveNow(200);
			}
			catch (CheckpointException ex) {
				this.journal.write("refused", ex.getReason().name());
			}
		}

	}

}
