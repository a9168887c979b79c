package io.redelay.queue.fault;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.work.DeliveryInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of dead messages whose instance is killed, or whose Redis goes back in time or is
 * full, while they are carried out.
 */
class RedriveRuleCrashIntegrationTests extends FaultTests {

	private static final int COUNT = 60;

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().config("dir " + this.folder, "save \"\"").start();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void noRoundIsLostOrDoubledWhenTheInstanceThatRedrivesIsKilled() {
		InstanceProcess victim = process(Failing.class, rule("rate=20/1s", "test.instance=victim"));
		ConfigurableApplicationContext survivor = instance(Nothing.class);
		QueueAdmin admin = survivor.getBean(QueueAdmin.class);
		IntStream.range(0, COUNT)
			.forEach((i) -> queue(survivor).send(OutboundMessage.to(this.queue, "m" + i).id("m" + i)));
		// In the midst of a round, while others have not begun theirs.
		Awaitility.await().until(() -> rounds(admin) >= 15);
		ConfigurableApplicationContext other = instance(Failing.class,
				rule("rate=20/1s", "redelay.queue.listener.lease-time=" + LEASE.toSeconds() + "s"));
		victim.kill();
		int killedAt = rounds(admin);
		assertThat(killedAt).isLessThan(2 * COUNT);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(dead(admin)).hasSize(COUNT)
				.allSatisfy((message) -> assertThat(message.rounds()).isEqualTo(2)));
		// A life begins with the first attempt; that in the victim's hands when it died
		// may have come again.
		Map<String, Long> lives = Journal.payloads(redisson(other), this.queue, "life")
			.stream()
			.collect(Collectors.groupingBy((payload) -> payload, Collectors.counting()));
		assertThat(lives).hasSize(COUNT);
		assertThat(lives.values()).as("a life for the send and one for each round").allMatch((count) -> count >= 3);
		assertThat(lives.values().stream().mapToLong(Long::longValue).sum())
			.as("only what the victim had in hand came again")
			.isBetween(3L * COUNT, 3L * COUNT + 8);
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void oneInstanceRedrivesAndAnotherOneSoonAfterItStops() {
		ConfigurableApplicationContext one = instance(Failing.class,
				rule("rate=1000/1s", "redelay.queue.listener.lease-time=1h"));
		QueueAdmin admin = one.getBean(QueueAdmin.class);
		Awaitility.await().until(() -> owner(redisson(one)) != null);
		String first = owner(redisson(one));
		ConfigurableApplicationContext two = instance(Failing.class,
				rule("rate=1000/1s", "redelay.queue.listener.lease-time=1h"));
		queue(two).send(OutboundMessage.to(this.queue, "m").id("m"));
		Awaitility.await().until(() -> rounds(admin) == 2);
		List<String> owners = new ArrayList<>();
		// Over ten looks of either.
		Awaitility.await().pollInterval(Duration.ofMillis(100)).until(() -> {
			owners.add(owner(redisson(two)));
			return owners.size() == 20;
		});
		assertThat(owners).containsOnly(first);
		one.close();
		Awaitility.await()
			.atMost(Duration.ofSeconds(40))
			.until(() -> owner(redisson(two)) != null && !owner(redisson(two)).equals(first));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatRedisHasForgottenIsRedrivenAgain() {
		ConfigurableApplicationContext instance = instance(Failing.class, rule("rate=1000/1s"));
		QueueAdmin admin = instance.getBean(QueueAdmin.class);
		queue(instance).send(OutboundMessage.to(this.queue, "a").id("a"));
		Awaitility.await().until(() -> rounds(admin) == 2);
		queue(instance).send(OutboundMessage.to(this.queue, "b").id("b"));
		Awaitility.await().until(() -> dead(admin).size() == 2);
		this.redis.command("SAVE");
		int saved = rounds(admin);
		Awaitility.await().until(() -> rounds(admin) == 4);
		this.redis.kill();
		this.redis.restart();
		assertThat(saved).isLessThanOrEqualTo(4);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(dead(admin)).hasSize(2)
				.allSatisfy((message) -> assertThat(message.rounds()).isEqualTo(2)));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFullRedisLetsRoundsPass() {
		ConfigurableApplicationContext instance = instance(Failing.class, rule("rate=1000/1s"));
		QueueAdmin admin = instance.getBean(QueueAdmin.class);
		queue(instance).send(OutboundMessage.to(this.queue, "a").id("a"));
		Awaitility.await().until(() -> dead(admin).size() == 1);
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		Awaitility.await().until(() -> rounds(admin) == 2);
		Awaitility.await()
			.until(() -> admin.deadLetters().redriveStatus(this.queue).map(RedriveStatus::lastStayed).isPresent());
	}

	private int rounds(QueueAdmin admin) {
		return dead(admin).stream().mapToInt(QueuedMessage::rounds).sum();
	}

	private List<QueuedMessage> dead(QueueAdmin admin) {
		return admin.messages().browse(this.queue, MessageState.DEAD, 0, 500).messages();
	}

	private String owner(RedissonClient redisson) {
		return redisson.<String, String>getMap("redelay:{" + this.queue + "}:redrive", StringCodec.INSTANCE)
			.get("owner");
	}

	private String[] rule(String rate, String... more) {
		String place = "redelay.queue.queues." + this.queue + ".dead-letters.redrive.";
		List<String> properties = new ArrayList<>(List.of(place + "delay=200ms", place + "rounds=2", place + rate,
				"redelay.queue.safety-poll-interval=200ms", "redelay.queue.listener.max-attempts=2",
				"redelay.queue.listener.backoff.initial-interval=1ms"));
		properties.addAll(List.of(more));
		return properties.toArray(String[]::new);
	}

	@Import(Journal.class)
	static class Nothing {

	}

	@Import(Journal.class)
	static class Failing {

		private final Journal journal;

		Failing(Journal journal) {
			this.journal = journal;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "4")
		void handle(String payload, DeliveryInfo info) throws IOException {
			if (info.attempt() == 1) {
				this.journal.write("life", payload);
			}
			throw new IOException("no");
		}

	}

}
