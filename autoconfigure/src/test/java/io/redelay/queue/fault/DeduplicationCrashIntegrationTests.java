package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that send with the same keys and handle, of which one is killed.
 */
class DeduplicationCrashIntegrationTests extends FaultTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@Test
	void keysHoldThroughTheDeathOfAnInstance() {
		InstanceProcess victim = process(Deduplicating.class, "test.instance=victim");
		ConfigurableApplicationContext survivor = instance(Deduplicating.class, "test.instance=survivor");
		RedissonClient redisson = redisson(survivor);
		Awaitility.await().until(() -> sentBy(redisson, "victim") >= 150 && sentBy(redisson, "survivor") >= 150);
		victim.kill();
		long before = sentBy(redisson, "survivor");
		Awaitility.await().until(() -> sentBy(redisson, "survivor") >= before + 50);
		survivor.getBean(Deduplicating.class).stop();
		queue(survivor).send(newest(this.queue, new Item("n", "last")));
		Awaitility.await().until(() -> isEmpty(redisson));

		assertThat(uids(redisson, "first")).hasSize(Deduplicating.KEYS)
			.allSatisfy((key, uids) -> assertThat(uids).as(key).hasSize(1));
		Map<String, Set<String>> digests = uids(redisson, "digest");
		assertThat(digests.keySet()).containsAll(Journal.payloads(redisson, this.queue, "sent"));
		assertThat(digests).allSatisfy((item, uids) -> assertThat(uids).as(item).hasSize(1));
		List<String> newest = Journal.payloads(redisson, this.queue, "newest");
		assertThat(newest.get(newest.size() - 1)).isEqualTo("last");
		assertThat(newest).hasSizeLessThan(Journal.payloads(redisson, this.queue, "sent").size());
	}

	private long sentBy(RedissonClient redisson, String instance) {
		return Journal.read(redisson, this.queue, "sent").stream().filter((line) -> line.endsWith(instance)).count();
	}

	private boolean isEmpty(RedissonClient redisson) {
		return List.of("first", "newest", "digest")
			.stream()
			.allMatch((name) -> redisson
				.getMap("redelay:{" + this.queue + "-" + name + "}:messages", StringCodec.INSTANCE)
				.isEmpty());
	}

	/**
	 * The messages in which something was handled: a delivery that is repeated has the
	 * uid of the first one.
	 */
	private Map<String, Set<String>> uids(RedissonClient redisson, String event) {
		return Journal.payloads(redisson, this.queue, event)
			.stream()
			.map((line) -> line.split("/"))
			.collect(Collectors.groupingBy((line) -> line[0],
					Collectors.mapping((line) -> line[1], Collectors.toSet())));
	}

	private static OutboundMessage newest(String queue, Item item) {
		return OutboundMessage.to(queue + "-newest", item)
			.deduplicate(Deduplication.debounce(item.key(), Duration.ofMillis(50), Duration.ofMillis(200)));
	}

	record Item(String key, String name) {

	}

	/**
	 * Sends with few keys, as fast as it can, and writes down what it handles.
	 */
	@Import(Journal.class)
	static class Deduplicating {

		static final int KEYS = 30;

		private final Journal journal;

		private final QueueOperations queues;

		private final String queue;

		private final String instance;

		private volatile boolean stopped;

		private final Thread sender = new Thread(this::send);

		Deduplicating(Journal journal, QueueOperations queues, @Value("${test.queue}") String queue,
				@Value("${test.instance}") String instance) {
			this.journal = journal;
			this.queues = queues;
			this.queue = queue;
			this.instance = instance;
		}

		@EventListener(ApplicationReadyEvent.class)
		void begin() {
			this.sender.setDaemon(true);
			this.sender.start();
		}

		void stop() {
			this.stopped = true;
			Awaitility.await().until(() -> !this.sender.isAlive());
		}

		private void send() {
			for (int i = 0; !this.stopped; i++) {
				String name = this.instance + "-" + i;
				this.queues.send(OutboundMessage.to(this.queue + "-first", new Item("k" + i % KEYS, name))
					.deduplicate(Deduplication.firstWins("k" + i % KEYS, HOUR)));
				this.queues.send(DeduplicationCrashIntegrationTests.newest(this.queue, new Item("n", name)));
				this.queues.send(OutboundMessage.to(this.queue + "-digest", new Item("d", name))
					.deduplicate(Deduplication.aggregate("d", Duration.ofMillis(100), 7)));
				this.journal.write("sent", name);
			}
		}

		@QueueListener("${test.queue}-first")
		void first(Item item, @Header(QueueHeaders.UID) String uid) {
			this.journal.write("first", item.key() + "/" + uid);
		}

		@QueueListener(queues = "${test.queue}-newest", concurrency = "1")
		void newest(Item item) {
			this.journal.write("newest", item.name());
		}

		@QueueListener("${test.queue}-digest")
		void digest(List<Message<Item>> items) {
			items.forEach((item) -> this.journal.write("digest",
					item.getPayload().name() + "/" + item.getHeaders().get(QueueHeaders.UID)));
		}

	}

}
