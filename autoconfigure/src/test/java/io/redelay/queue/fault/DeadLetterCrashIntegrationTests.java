package io.redelay.queue.fault;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances that die while they hand dead messages on.
 */
class DeadLetterCrashIntegrationTests extends FaultTests {

	@Test
	void whatAKilledInstanceWasHandingOnIsHandedOnOnceByAnother() {
		int messages = 4000;
		ConfigurableApplicationContext survivor = instance(RejectingListener.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		for (int i = 0; i < messages; i += 1000) {
			queue(survivor).sendAll(IntStream.range(i, i + 1000)
				.mapToObj((number) -> OutboundMessage.to(this.queue, "" + number))
				.toList());
		}
		InstanceProcess victim = process(RejectingListener.class);
		Awaitility.await()
			.atMost(60, TimeUnit.SECONDS)
			.pollInterval(10, TimeUnit.MILLISECONDS)
			.until(() -> failed(redisson).size() > messages / 10);
		victim.kill();
		assertThat(failed(redisson)).as("killed on the way").hasSizeLessThan(messages);
		survivor.getBean(io.redelay.queue.config.QueueListenerEndpointRegistry.class)
			.getContainers()
			.forEach(io.redelay.queue.listener.QueueListenerContainer::start);
		Awaitility.await()
			.atMost(60, TimeUnit.SECONDS)
			.until(() -> failed(redisson).size() >= messages && size(redisson, "dead:messages") == 0);
		assertThat(failed(redisson)).hasSize(messages).doesNotHaveDuplicates();
		assertThat(size(redisson, "messages")).isZero();
	}

	private List<String> failed(RedissonClient redisson) {
		return redisson.<String, String>getMap("redelay:{" + this.queue + ".failed}:messages", StringCodec.INSTANCE)
			.readAllValues()
			.stream()
			.map((envelope) -> JsonMapper.shared().readTree(envelope).get("payload").asString())
			.toList();
	}

	private int size(RedissonClient redisson, String key) {
		return redisson.getMap("redelay:{" + this.queue + "}:" + key, StringCodec.INSTANCE).size();
	}

	/**
	 * Rejects everything.
	 */
	static class RejectingListener {

		@QueueListener(queues = "${test.queue}", deadLetterQueue = "${test.queue}.failed",
				autoStartup = "${test.listening:true}")
		void handle(String number) {
			throw new RejectMessageException("No " + number);
		}

	}

}
