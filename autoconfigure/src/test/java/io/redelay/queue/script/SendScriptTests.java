package io.redelay.queue.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.Durability;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.SendRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SendScript}.
 */
class SendScriptTests {

	private static final String LONG = "{\"v\":1,\"payload\":\"" + "x".repeat(MessageArguments.LONG_BODY) + "\"}";

	private static final String SHORT = "{\"v\":1,\"payload\":1}";

	@Test
	void longBodiesAreArgumentsOfTheirOwn() {
		Object[] args = args(null, message("a", SHORT, null), message("b", LONG, null), message("c", LONG, null));
		assertThat(args).hasSize(10);
		assertThat((byte[]) args[3]).hasSize(3 * (2 + 1 + 4) + SHORT.length() - 1);
		assertThat(List.of(args).subList(4, 8)).containsOnly("");
		assertThat(text(args[8])).isEqualTo(LONG.substring(1));
		assertThat(text(args[9])).isEqualTo(LONG.substring(1));
	}

	@Test
	void thoseOfMessagesThatAreNotPlainStayTogether() {
		assertThat(args(null, message("a", LONG, null), message("b", SHORT, Duration.ofSeconds(1)))).hasSize(4);
	}

	@Test
	void thoseOfMessagesWhoseCopiesAreAwaitedStayTogether() {
		CopiesRequest copies = CopiesRequest
			.of(List.of(new NewMessage("a", null, null, LONG.getBytes(StandardCharsets.UTF_8), null, null,
					Durability.replicas(1, Duration.ofSeconds(1)), null)));
		assertThat(args(copies, message("a", LONG, null))).hasSize(4);
	}

	private static Object[] args(@Nullable CopiesRequest copies, NewMessage... messages) {
		return SendScript.args(
				new SendRequest("lane", 1, false, new ArrayList<>(List.of(messages)), null, null, false, null, copies),
				"wake", copies == null);
	}

	private static NewMessage message(String uid, String envelope, @Nullable Duration delay) {
		return new NewMessage(uid, null, delay, null, envelope.getBytes(StandardCharsets.UTF_8));
	}

	private static String text(Object argument) {
		return StandardCharsets.UTF_8.decode(((ByteBuffer) argument).duplicate()).toString();
	}

}
