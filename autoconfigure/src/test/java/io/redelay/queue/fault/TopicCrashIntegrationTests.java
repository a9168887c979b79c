package io.redelay.queue.fault;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.TopicGroupInfo;
import io.redelay.queue.event.TopicGroupEvent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that dies while it publishes to a topic and listens to it, beside another
 * one that goes on.
 */
@Tag("full")
class TopicCrashIntegrationTests extends FaultTests {

	@Test
	void whatAKilledInstancePublishedIsInAllGroupsAndItsOwnGroupEnds() {
		String expiry = "redelay.queue.topics[" + this.queue + "].instance-group-expiry=";
		ConfigurableApplicationContext survivor = instance(Subscriber.class, expiry + "45s");
		RedissonClient redisson = redisson(survivor);
		QueueAdmin admin = survivor.getBean(QueueAdmin.class);
		InstanceProcess victim = process(Subscriber.class, "test.instance=victim", "test.publishing=true",
				expiry + LEASE.toSeconds() + "s");
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "own").stream().anyMatch(this::isOfVictim));
		Awaitility.await()
			.until(() -> Journal.read(redisson, this.queue, "billing").stream().filter(this::isOfVictim).count() > 5);
		assertThat(groups(admin)).hasSize(4);
		victim.kill();
		Set<String> published = new HashSet<>(Journal.payloads(redisson, this.queue, "published"));
		assertThat(published).isNotEmpty();
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "audit")).containsAll(published));
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "billing")).containsAll(published));
		// What was on its way is in all groups, or in none.
		Awaitility.await()
			.untilAsserted(() -> assertThat(handled(redisson, "audit")).isEqualTo(handled(redisson, "billing")));
		Awaitility.await().until(() -> groups(admin).size() == 3);
		Awaitility.await().untilAsserted(() -> assertThat(Journal.read(redisson, this.queue, "EXPIRED")).hasSize(1));
		survivor.getBean(QueueOperations.class).publish(this.queue, "afterwards");
		Awaitility.await()
			.until(() -> Journal.payloads(redisson, this.queue, "own").contains("afterwards")
					&& Journal.payloads(redisson, this.queue, "billing").contains("afterwards"));
	}

	private boolean isOfVictim(String line) {
		return line.endsWith(" victim");
	}

	private List<String> groups(QueueAdmin admin) {
		return admin.topics().info(this.queue).groups().stream().map(TopicGroupInfo::name).toList();
	}

	private Set<String> handled(RedissonClient redisson, String group) {
		return Set.copyOf(Journal.payloads(redisson, this.queue, group));
	}

	/**
	 * Publishes until it is killed, if it is to publish.
	 */
	@Import(Journal.class)
	static class Subscriber {

		private final Journal journal;

		private final QueueOperations queues;

		private final String topic;

		private final boolean publishing;

		Subscriber(Journal journal, QueueOperations queues, @Value("${test.queue}") String topic,
				@Value("${test.publishing:false}") boolean publishing) {
			this.journal = journal;
			this.queues = queues;
			this.topic = topic;
			this.publishing = publishing;
		}

		@EventListener
		void publish(ContextRefreshedEvent event) {
			if (this.publishing) {
				Thread thread = new Thread(this::publishForEver, "publisher");
				thread.setDaemon(true);
				thread.start();
			}
		}

		private void publishForEver() {
			for (int i = 0; true; i++) {
				this.queues.publish(this.topic, "m" + i);
				this.journal.write("published", "m" + i);
			}
		}

		@QueueListener(topic = "${test.queue}")
		void own(String text) {
			this.journal.write("own", text);
		}

		@QueueListener(topic = "${test.queue}", group = "audit")
		void audit(String text) {
			this.journal.write("audit", text);
		}

		@QueueListener(topic = "${test.queue}", group = "billing")
		void bill(String text) {
			this.journal.write("billing", text);
		}

		@EventListener
		void reported(TopicGroupEvent event) {
			this.journal.write(event.type().name(), event.group());
		}

	}

}
