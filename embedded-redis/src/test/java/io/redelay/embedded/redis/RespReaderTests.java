package io.redelay.embedded.redis;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link RespReader}.
 */
class RespReaderTests {

	@Test
	void readsSimpleStrings() throws IOException {
		assertThat(read("+OK\r\n")).isEqualTo("OK");
	}

	@Test
	void readsNumbers() throws IOException {
		assertThat(read(":-42\r\n")).isEqualTo(-42L);
	}

	@Test
	void readsTextByItsLengthInBytes() throws IOException {
		assertThat(read("$9\r\nü\r\nü\r\nx\r\n")).isEqualTo("ü\r\nü\r\nx");
	}

	@Test
	void readsEmptyAndMissingText() throws IOException {
		assertThat(read("$0\r\n\r\n")).isEqualTo("");
		assertThat(read("$-1\r\n")).isNull();
		assertThat(read("*-1\r\n")).isNull();
	}

	@Test
	void readsLists() throws IOException {
		assertThat(read("*3\r\n:1\r\n*1\r\n+a\r\n$-1\r\n")).isEqualTo(Arrays.asList(1L, Arrays.asList("a"), null));
	}

	@Test
	void readsErrors() throws IOException {
		assertThat(read("-ERR no\r\n")).isEqualTo(new RespReader.ErrorReply("ERR no"));
	}

	@Test
	void refusesWhatIsNoRedis() {
		assertThatIOException().isThrownBy(() -> read("HTTP/1.1 400 Bad Request\r\n"))
			.withMessageContaining("does not speak the Redis protocol")
			.withMessageContaining("HTTP/1.1 400");
		assertThatIOException().isThrownBy(() -> read("\r\n")).withMessageContaining("does not speak");
		assertThatIOException().isThrownBy(() -> read(":x\r\n")).withMessageContaining("'x' is not a number");
		assertThatIOException().isThrownBy(() -> read("+".repeat(100_000))).withMessageContaining("does not speak");
	}

	@Test
	void reportsWhenTheReplyBreaksOff() {
		assertThatExceptionOfType(EOFException.class).isThrownBy(() -> read(""));
		assertThatExceptionOfType(EOFException.class).isThrownBy(() -> read("$5\r\nab"))
			.withMessageContaining("2 of 5 bytes");
	}

	private static Object read(String reply) throws IOException {
		return new RespReader(new ByteArrayInputStream(reply.getBytes(StandardCharsets.UTF_8))).read();
	}

}
