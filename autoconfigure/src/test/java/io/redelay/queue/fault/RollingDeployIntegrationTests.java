package io.redelay.queue.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.test.Waiting;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances whose handlers take half a minute are replaced one after the other, while
 * messages are sent.
 */
class RollingDeployIntegrationTests extends FaultTests {

	private static final int INSTANCES = Extent.of(2, 3);

	private static final int LONG = 3 * INSTANCES;

	/**
	 * How long an instance would wait for handlers. One that is gone within a third of it
	 * has waited for none.
	 */
	private static final Duration PHASE = Duration.ofSeconds(150);

	private final List<String> sent = new ArrayList<>();

	@Test
	void instancesAreGoneSoonAndEverythingEndsOnceWithNoAttemptCounted() {
		ConfigurableApplicationContext sender = instance(Object.class);
		RedissonClient redisson = redisson(sender);
		List<InstanceProcess> old = Stream.generate(() -> process(Listener.class, properties("old")))
			.limit(INSTANCES)
			.toList();
		Waiting.await().until(() -> journal(redisson, "up").size() == INSTANCES);
		IntStream.range(0, LONG).forEach((i) -> send(sender, "long" + i));
		Waiting.await().until(() -> journal(redisson, "begin").size() == LONG);
		for (InstanceProcess each : old) {
			instance(Listener.class, properties("new"));
			CompletableFuture<Duration> gone = CompletableFuture.supplyAsync(each::terminate);
			sendUntil(sender, gone::isDone);
			assertThat(gone.join()).isLessThan(PHASE.dividedBy(3));
		}
		Waiting.await().until(() -> running(redisson).size() == LONG);
		assertThat(running(redisson)).as("what was stopped goes on in the new instances")
			.allMatch((line) -> line.endsWith(" new"));
		redisson.getBucket("released:" + this.queue, StringCodec.INSTANCE).set("now");
		Waiting.await().untilAsserted(() -> {
			QueueInfo info = sender.getBean(QueueAdmin.class).queues().info(this.queue);
			assertThat(info.ready() + info.scheduled() + info.inFlight()).as(info.toString()).isZero();
		});
		assertThat(sender.getBean(QueueAdmin.class).queues().info(this.queue).dead()).isZero();
		assertThat(Journal.payloads(redisson, this.queue, "end")).containsExactlyInAnyOrderElementsOf(this.sent);
		assertThat(Journal.payloads(redisson, this.queue, "begin")).hasSize(this.sent.size() + stops(redisson))
			.as("attempts")
			.allMatch((payload) -> payload.endsWith("/1"));
		assertThat(stops(redisson)).isGreaterThanOrEqualTo(LONG);
	}

	private static String[] properties(String name) {
		return new String[] { "test.instance=" + name, "redelay.queue.listener.lease-time=30s",
				"spring.lifecycle.timeout-per-shutdown-phase=" + PHASE.toSeconds() + "s" };
	}

	/**
	 * Sends a hundred messages a second.
	 */
	private void sendUntil(ConfigurableApplicationContext sender, BooleanSupplier end) {
		Waiting.await().atMost(PHASE).until(() -> {
			send(sender, "short" + this.sent.size());
			return end.getAsBoolean();
		});
	}

	private void send(ConfigurableApplicationContext sender, String payload) {
		sender.getBean(QueueOperations.class).send(this.queue, payload);
		this.sent.add(payload);
	}

	private int stops(RedissonClient redisson) {
		return journal(redisson, "stop").size();
	}

	private List<String> journal(RedissonClient redisson, String event) {
		return Journal.read(redisson, this.queue, event);
	}

	/**
	 * The lines of the long messages whose handlers have begun and have not stopped.
	 */
	private List<String> running(RedissonClient redisson) {
		List<String> running = new ArrayList<>();
		for (String line : Journal.read(redisson, this.queue)) {
			String[] words = line.split(" ");
			if (words[1].startsWith("long") && words[0].equals("begin")) {
				running.add(words[1].split("/")[0] + " " + words[2]);
			}
			else if (words[0].equals("stop")) {
				running.remove(words[1] + " " + words[2]);
			}
		}
		return running;
	}

	@Import(Journal.class)
	static class Listener {

		/**
		 * Longer than the deployment takes on any machine.
		 */
		private static final Duration LONGEST = Duration.ofMinutes(10);

		private final Journal journal;

		private final RedissonClient redisson;

		private final String released;

		Listener(Journal journal, RedissonClient redisson, @Value("${test.queue}") String queue) {
			this.journal = journal;
			this.redisson = redisson;
			this.released = "released:" + queue;
		}

		@EventListener(ApplicationReadyEvent.class)
		void up() {
			this.journal.write("up", "-");
		}

		@QueueListener(queues = "${test.queue}", concurrency = "6", maxAttempts = "1")
		void handle(String payload, MessageDelivery delivery) throws ExecutionException, InterruptedException {
			this.journal.write("begin", payload + "/" + delivery.info().attempt());
			CompletableFuture<Void> turned = new CompletableFuture<>();
			delivery.cancellation().onCancel((reason) -> turned.complete(null));
			if (payload.startsWith("long") && isStopped(turned)) {
				this.journal.write("stop", payload);
				throw delivery.stopped();
			}
			this.journal.write("end", payload);
		}

		/**
		 * Works until the test lets it end.
		 * @return whether it is to stop before
		 */
		private boolean isStopped(CompletableFuture<Void> turned) throws ExecutionException, InterruptedException {
			long end = System.nanoTime() + LONGEST.toNanos();
			while (System.nanoTime() - end < 0 && !this.redisson.getBucket(this.released).isExists()) {
				try {
					turned.get(100, TimeUnit.MILLISECONDS);
					return true;
				}
				catch (TimeoutException ex) {
					// Goes on.
				}
			}
			return false;
		}

	}

}
