package io.redelay.queue.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.netty.resolver.DefaultAddressResolverGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.client.RedisClient;
import org.redisson.client.RedisClientConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for {@link CallerConnection}.
 */
class CallerConnectionTests {

	private static final byte[] SHA = "sha".getBytes(StandardCharsets.US_ASCII);

	private ServerSocket server;

	private RedisClient client;

	@BeforeEach
	void start() throws IOException {
		this.server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
	}

	@AfterEach
	void stop() throws IOException {
		if (this.client != null) {
			this.client.shutdown();
		}
		this.server.close();
	}

	@Test
	void argumentsAreSentAsTheirBytes() throws IOException {
		ByteBuffer part = ByteBuffer.wrap("..part..".getBytes(StandardCharsets.US_ASCII), 2, 5).slice();
		part.position(1).limit(4);
		byte[] expected = "*6\r\n$7\r\nEVALSHA\r\n$3\r\nsha\r\n$1\r\n1\r\n$3\r\nkey\r\n$2\r\nä\r\n$3\r\nart\r\n"
			.getBytes(StandardCharsets.UTF_8);
		CompletableFuture<byte[]> request = serve(expected.length, "$2\r\nOK\r\n");
		CallerConnection connection = open(config());
		CallerConnection.Reply reply = connection.evaluate(SHA, List.of("key"), new Object[] { "ä", part });
		assertThat(reply.words()).asString().isEqualTo("OK");
		connection.close();
		assertThat(request.join()).isEqualTo(expected);
		assertThat(part.remaining()).isEqualTo(3);
	}

	@Test
	void anythingElseIsNoArgument() throws IOException {
		assertThat(CallerConnection.size(ByteBuffer.wrap(new byte[9], 1, 7))).isEqualTo(7);
		assertThat(CallerConnection.size(new byte[9])).isEqualTo(9);
		assertThat(CallerConnection.size("text")).isEqualTo(4);
		assertThatIllegalArgumentException().isThrownBy(() -> CallerConnection.size(5));
		CallerConnection connection = open(config());
		assertThatIllegalArgumentException()
			.isThrownBy(() -> connection.evaluate(SHA, List.of("key"), new Object[] { 5 }));
		connection.close();
	}

	@Test
	void anErrorDoesNotRepeatThePassword() {
		serve(1, "-ERR unknown command 'AUTH', with args beginning with: 's3cret'\r\n");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> open(config().setPassword("s3cret")))
			.withMessage("Redis refused AUTH: -ERR");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 60_000 })
	void aReplyIsNotAwaitedForLong(int timeout) {
		assertTimeoutPreemptively(Duration.ofSeconds(7), () -> assertThatExceptionOfType(SocketTimeoutException.class)
			.isThrownBy(() -> open(config().setCommandTimeout(timeout).setPassword("secret"))));
	}

	@Test
	void aConnectionThatIsNotTakenIsGivenUpSoon() {
		assertTimeoutPreemptively(Duration.ofSeconds(20),
				() -> assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> {
					// The queue of the server is full then.
					for (int i = 0; i < 10; i++) {
						open(config());
					}
				}));
	}

	private CompletableFuture<byte[]> serve(int size, String reply) {
		return CompletableFuture.supplyAsync(() -> {
			try (Socket socket = this.server.accept()) {
				byte[] request = socket.getInputStream().readNBytes(size);
				socket.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
				socket.getInputStream().readAllBytes();
				return request;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}, (task) -> new Thread(task).start());
	}

	private RedisClientConfig config() {
		return new RedisClientConfig().setAddress("redis://127.0.0.1:" + this.server.getLocalPort())
			.setResolverGroup(DefaultAddressResolverGroup.INSTANCE)
			.setConnectTimeout(0);
	}

	private CallerConnection open(RedisClientConfig config) throws IOException {
		if (this.client == null) {
			this.client = RedisClient.create(config);
		}
		return CallerConnection.open(this.client, new InetSocketAddress("127.0.0.1", this.server.getLocalPort()));
	}

}
