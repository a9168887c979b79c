package io.redelay.queue.fault;

import java.time.Duration;
import java.util.Collection;
import java.util.stream.IntStream;

import io.redelay.queue.QueueListener;
import io.redelay.test.redis.TcpFaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that dies while it hands dead messages on.
 */
@Tag("full")
class DeadLetterCrashIntegrationTests extends FaultTests {

	private static final int MESSAGES = 4000;

	private static final String SEED = """
			local time = redis.call('TIME')
			for i = 1, %d do
			  redis.call('HSET', KEYS[1], 'u-' .. i, '{"sentAt":1,"v":1,"payload":' .. i .. '}', 'u-' .. i .. '/cause', '{}')
			  redis.call('ZADD', KEYS[2], time[1] .. '000', 'u-' .. i)
			end
			"""
		.formatted(MESSAGES);

	@Test
	void whatAKilledInstanceWasHandingOnIsHandedOnOnceByAnother() {
		this.redis.command("EVAL", SEED, "2", key("", "dead:messages"), key("", "dead"));
		// It is slow to hear of what it has done, but what it asks for is done at once.
		try (TcpFaultProxy slow = TcpFaultProxy.to(this.redis)) {
			slow.delay(TcpFaultProxy.Direction.TO_CLIENT, Duration.ofMillis(50));
			InstanceProcess victim = process(Listener.class, "spring.data.redis.url=" + slow.uri());
			Awaitility.await().until(() -> handedOn() > 0);
			victim.pause();
			while (handedOn() + dead() == MESSAGES && dead() > 0) {
				victim.resume();
				victim.pause();
			}
			assertThat(handedOn() + dead()).as("killed between a copy and its removal").isGreaterThan(MESSAGES);
			victim.kill();
		}
		ConfigurableApplicationContext survivor = instance(Listener.class);
		Awaitility.await().until(() -> dead() == 0);
		Collection<String> copies = redisson(survivor)
			.<String, String>getMap(key(".failed", "messages"), StringCodec.INSTANCE)
			.readAllValues();
		assertThat(copies).extracting((copy) -> JsonMapper.shared().readTree(copy).get("payload").asInt())
			.containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, MESSAGES).boxed().toList());
	}

	private long handedOn() {
		return (Long) this.redis.command("HLEN", key(".failed", "messages"));
	}

	private long dead() {
		return (Long) this.redis.command("ZCARD", key("", "dead"));
	}

	private String key(String suffix, String name) {
		return "redelay:{" + this.queue + suffix + "}:" + name;
	}

	/**
	 * Has nothing to handle.
	 */
	static class Listener {

		@QueueListener(queues = "${test.queue}", deadLetterQueue = "${test.queue}.failed")
		void handle(String payload) {
		}

	}

}
