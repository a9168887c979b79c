package io.redelay.redisson;

import java.io.PrintWriter;
import java.io.StringWriter;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueListener;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.UnsoundQueues;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests of what is logged and thrown when Redis refuses what queues send.
 */
@ExtendWith(CapturedLog.Extension.class)
@UnsoundQueues("a key of another type")
class RequestFailuresIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	void neitherPayloadsNorScriptsAreQuoted(CapturedLog log) {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.bean(new Listener())
			.start()) {
			String secret = "secret-of-" + this.queue;
			redis.client()
				.getBucket("redelay:{" + this.queue + "}:messages", StringCodec.INSTANCE)
				.set("of another type");
			redis.client().getBucket("redelay:{" + this.queue + "}:ready", StringCodec.INSTANCE).set("of another type");
			Throwable failure = catchThrowable(() -> application.queues().send(this.queue, secret));
			assertThat(failure).isInstanceOf(MessageSendException.class);
			StringWriter stack = new StringWriter();
			failure.printStackTrace(new PrintWriter(stack));
			assertThat(stack.toString()).contains("WRONGTYPE").doesNotContain(secret, "redis.call", "params", "local ");
			await().untilAsserted(() -> assertThat(log.entriesWith("WARN", this.queue, "WRONGTYPE")).isNotEmpty());
			assertThat(log.entriesWith(this.queue, "params")).isEmpty();
			assertThat(log.entriesWith(secret)).isEmpty();
		}
		finally {
			redis.client()
				.getKeys()
				.delete("redelay:{" + this.queue + "}:messages", "redelay:{" + this.queue + "}:ready");
		}
	}

	static class Listener {

		@QueueListener("${test.queue}")
		void handle(String payload) {
		}

	}

}
