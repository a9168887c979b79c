package io.redelay.queue.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SharedBytes}.
 */
class SharedBytesTests {

	@Test
	void aCopySharesTheBytesAndLivesByItself() {
		byte[] bytes = { 'a', 'b', 'c', 'd' };
		ByteBuf given = SharedBytes.of(bytes);
		ByteBuf copy = given.copy();
		ByteBuf copyOfCopy = copy.copy(1, 2);
		assertThat(given.release()).isTrue();
		assertThat(text(copy)).isEqualTo("abcd");
		assertThat(copy.release()).isTrue();
		bytes[1] = 'x';
		assertThat(text(copyOfCopy)).isEqualTo("xc");
	}

	@Test
	void aPartIsThatPart() {
		ByteBuf part = SharedBytes.of(ByteBuffer.wrap(new byte[] { 'a', 'b', 'c', 'd' }, 1, 2));
		ByteBuf copy = part.copy();
		part.release();
		assertThat(text(copy)).isEqualTo("bc");
	}

	@Test
	void othersAreText() {
		assertThat(text(SharedBytes.of("ü"))).isEqualTo("ü");
		assertThat(text(SharedBytes.of(7L))).isEqualTo("7");
		assertThat(text(SharedBytes.of("").copy())).isEmpty();
	}

	private static String text(ByteBuf bytes) {
		return bytes.toString(StandardCharsets.UTF_8);
	}

}
