package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.FirstDeath;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that is killed while it sends bundles, handles their messages and relays
 * what becomes of them, beside another one that goes on.
 */
@Tag("full")
class BundleCrashIntegrationTests extends FaultTests {

	@Test
	void eachBundleEndsOnceAlthoughWhoSentItIsKilled() {
		ConfigurableApplicationContext survivor = instance(Lines.class, "test.listening=false",
				"redelay.queue.safety-poll-interval=200ms");
		RedissonClient redisson = redisson(survivor);
		InstanceProcess victim = process(Lines.class, "test.instance=victim", "test.handling=5ms", "test.bundles=true");
		Awaitility.await().until(() -> Journal.payloads(redisson, this.queue, "handled").size() >= 100);
		victim.kill();
		int sent = Journal.payloads(redisson, this.queue, "sent").size();
		survivor.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
		QueueAdmin admin = survivor.getBean(QueueAdmin.class);
		Awaitility.await().until(() -> admin.queues().bundles(done()).isEmpty());
		Awaitility.await().until(() -> Journal.payloads(redisson, this.queue, "done").size() >= sent);
		// The callback of the bundle that was being sent may be on its way.
		Awaitility.await().until(() -> distinct(redisson, "handled") == 20 * distinct(redisson, "done"));
		List<String> handled = Journal.payloads(redisson, this.queue, "handled").stream().distinct().toList();
		List<String> done = Journal.payloads(redisson, this.queue, "done");
		// The callback is delivered at least once: who was killed may have handled it.
		assertThat(done.stream().distinct().toList()).hasSizeBetween(sent, sent + 1);
		assertThat(done).allSatisfy((line) -> assertThat(line).endsWith("/20/20"));
		// All of a bundle or none is sent, also of the one that was being sent.
		assertThat(handled).hasSize(20 * (int) done.stream().distinct().count());
		assertThat(done.stream().distinct().count()).as("the survivor ended some")
			.isGreaterThan(Journal.read(redisson, this.queue, "done")
				.stream()
				.filter((line) -> line.endsWith(" victim"))
				.count());
	}

	@Test
	void theRestOfDoomedBundlesIsCancelledAlthoughWhoDoesItIsKilled() {
		ConfigurableApplicationContext survivor = instance(Doomed.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		InstanceProcess victim = process(Doomed.class, "test.instance=victim", "test.bundles=true");
		Awaitility.await().until(() -> Journal.payloads(redisson, this.queue, "done").size() >= 3);
		victim.kill();
		int sent = Journal.payloads(redisson, this.queue, "sent").size();
		survivor.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
		QueueAdmin admin = survivor.getBean(QueueAdmin.class);
		Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> admin.queues().bundles(done()).isEmpty());
		Awaitility.await()
			.until(() -> Journal.payloads(redisson, this.queue, "done").stream().distinct().count() >= sent);
		assertThat(Journal.payloads(redisson, this.queue, "done")).allSatisfy((line) -> {
			String[] counts = line.split("/");
			int acknowledged = Integer.parseInt(counts[2]);
			assertThat(counts[1]).as("total of %s", line).isEqualTo("10");
			assertThat(counts[3]).as("dead of %s", line).isEqualTo("1");
			assertThat(Integer.parseInt(counts[4])).as("cancelled of %s", line).isEqualTo(9 - acknowledged);
			assertThat(Integer.parseInt(counts[5])).as("results of %s", line).isEqualTo(acknowledged);
		});
		assertThat(admin.queues().info(this.queue).scheduled()).as("what was to be handled in an hour").isZero();
		assertThat(Journal.payloads(redisson, this.queue, "died").stream().distinct().count())
			.isEqualTo(Journal.payloads(redisson, this.queue, "done").stream().distinct().count());
	}

	private long distinct(RedissonClient redisson, String kind) {
		return Journal.payloads(redisson, this.queue, kind).stream().distinct().count();
	}

	private String done() {
		return this.queue + "-done";
	}

	/**
	 * Sends bundles of which one message dies, and most are due much later.
	 */
	@Import(Journal.class)
	static class Doomed {

		private final Journal journal;

		Doomed(Journal journal) {
			this.journal = journal;
		}

		@Bean
		ApplicationRunner sender(MessageBundles bundles, @Value("${test.queue}") String queue,
				@Value("${test.bundles:false}") boolean sends) {
			return (arguments) -> {
				for (int i = 0; sends && i < 1000; i++) {
					String id = "b" + i;
					bundles.send(
							BundleCallback.to(queue + "-done")
								.id(id)
								.keepResults()
								.onFirstDeath(FirstDeath.CANCEL_REST)
								.onFirstDeath(queue + "-died", id),
							IntStream.range(0, 10)
								.mapToObj((n) -> OutboundMessage.to(queue, ((n == 2) ? "bad-" : "good-") + id + "-" + n)
									.delay((n < 4) ? Duration.ZERO : Duration.ofHours(1)))
								.toList());
					this.journal.write("sent", id);
				}
			};
		}

		@QueueListener(queues = "${test.queue}", concurrency = "2", autoStartup = "${test.listening:true}")
		String line(String line) {
			if (line.startsWith("bad-")) {
				throw new RejectMessageException(line);
			}
			return "result of " + line;
		}

		@QueueListener(queues = "${test.queue}-died", autoStartup = "${test.listening:true}")
		void died(String bundle) {
			this.journal.write("died", bundle);
		}

		@QueueListener(queues = "${test.queue}-done", autoStartup = "${test.listening:true}")
		void done(BundleSummary summary) {
			long results = summary.results(String.class)
				.values()
				.stream()
				.filter((result) -> result.startsWith("result of good-" + summary.id() + "-"))
				.count();
			this.journal.write("done", summary.id() + "/" + summary.total() + "/" + summary.acknowledged() + "/"
					+ summary.dead() + "/" + summary.cancelled() + "/" + results);
		}

	}

	/**
	 * Sends a bundle after the other, if it is asked to.
	 */
	@Import(Journal.class)
	static class Lines {

		private final Journal journal;

		private final Duration handling;

		Lines(Journal journal, @Value("${test.handling:0ms}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@Bean
		ApplicationRunner sender(MessageBundles bundles, @Value("${test.queue}") String queue,
				@Value("${test.bundles:false}") boolean sends) {
			return (arguments) -> {
				for (int i = 0; sends && i < 1000; i++) {
					String id = "b" + i;
					bundles.send(BundleCallback.to(queue + "-done").id(id),
							IntStream.range(0, 20).mapToObj((n) -> OutboundMessage.to(queue, id + "-" + n)).toList());
					this.journal.write("sent", id);
				}
			};
		}

		@QueueListener(queues = "${test.queue}", concurrency = "2", autoStartup = "${test.listening:true}")
		void line(String line) throws InterruptedException {
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			this.journal.write("handled", line);
		}

		@QueueListener(queues = "${test.queue}-done", autoStartup = "${test.listening:true}")
		void done(BundleSummary summary) {
			this.journal.write("done", summary.id() + "/" + summary.total() + "/" + summary.acknowledged());
		}

	}

}
