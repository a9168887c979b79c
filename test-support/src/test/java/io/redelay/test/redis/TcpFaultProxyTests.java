package io.redelay.test.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TcpFaultProxy} in front of a server that sends back what it gets.
 */
@Timeout(300)
class TcpFaultProxyTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final Duration SHORT = Duration.ofMillis(200);

	private Echo echo;

	private TcpFaultProxy proxy;

	@BeforeEach
	void start() throws IOException {
		this.echo = new Echo();
		this.proxy = TcpFaultProxy.to("127.0.0.1", this.echo.socket.getLocalPort());
	}

	@AfterEach
	void stop() throws IOException {
		this.proxy.close();
		this.echo.socket.close();
	}

	@Test
	void forwardsBothWays() throws IOException {
		try (Socket client = connect()) {
			send(client, "ping");
			assertThat(receive(client, 4)).isEqualTo("ping");
			assertThat(this.proxy.uri()).hasToString("redis://127.0.0.1:" + this.proxy.port());
		}
	}

	@Test
	void forwardsMuch() throws Exception {
		byte[] much = "0123456789".repeat(500_000).getBytes(StandardCharsets.US_ASCII);
		try (Socket client = connect()) {
			Thread sender = new Thread(() -> {
				try {
					client.getOutputStream().write(much);
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
			});
			sender.start();
			assertThat(client.getInputStream().readNBytes(much.length)).isEqualTo(much);
			sender.join();
		}
	}

	@Test
	void holdsBackRepliesUntilTheyAreReleased() throws Exception {
		try (Socket client = connect()) {
			this.proxy.hold(Direction.TO_CLIENT);
			send(client, "ping");
			assertThat(this.echo.received.poll(2, TimeUnit.MINUTES)).isEqualTo("ping");
			assertNothingArrives(client);
			this.proxy.release(Direction.TO_CLIENT);
			assertThat(receive(client, 4)).isEqualTo("ping");
		}
	}

	@Test
	void holdsBackRequestsUntilTheyAreReleased() throws Exception {
		try (Socket client = connect()) {
			this.proxy.hold(Direction.TO_SERVER);
			send(client, "ping");
			assertNothingArrives(client);
			assertThat(this.echo.received).isEmpty();
			this.proxy.release(Direction.TO_SERVER);
			assertThat(receive(client, 4)).isEqualTo("ping");
		}
	}

	@Test
	void holdsBackForSomeTime() throws Exception {
		try (Socket client = connect()) {
			long start = System.nanoTime();
			this.proxy.hold(Direction.TO_CLIENT, SHORT);
			send(client, "ping");
			assertThat(receive(client, 4)).isEqualTo("ping");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
		}
	}

	@Test
	void holdsBackOnConnectionsToCome() throws Exception {
		this.proxy.hold(Direction.TO_CLIENT);
		try (Socket client = connect()) {
			send(client, "ping");
			assertThat(this.echo.received.poll(2, TimeUnit.MINUTES)).isEqualTo("ping");
			assertNothingArrives(client);
		}
	}

	@Test
	void keepsTheOrderOfWhatIsHeldBack() throws Exception {
		try (Socket client = connect()) {
			this.proxy.hold(Direction.TO_CLIENT);
			send(client, "one ");
			assertThat(this.echo.received.poll(2, TimeUnit.MINUTES)).isEqualTo("one ");
			send(client, "two ");
			assertThat(this.echo.received.poll(2, TimeUnit.MINUTES)).isEqualTo("two ");
			this.proxy.release(Direction.TO_CLIENT);
			assertThat(receive(client, 8)).isEqualTo("one two ");
		}
	}

	@Test
	void delaysEachPiece() throws Exception {
		try (Socket client = connect()) {
			this.proxy.delay(Direction.TO_CLIENT, SHORT);
			for (int i = 0; i < 2; i++) {
				long start = System.nanoTime();
				send(client, "ping");
				assertThat(receive(client, 4)).isEqualTo("ping");
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
			}
			this.proxy.delay(Direction.TO_CLIENT, Duration.ZERO);
			send(client, "pong");
			assertThat(receive(client, 4)).isEqualTo("pong");
		}
	}

	@Test
	void losesAReplyThatIsHeldBackWhenTheConnectionIsDropped() throws Exception {
		try (Socket client = connect()) {
			this.proxy.hold(Direction.TO_CLIENT);
			send(client, "ping");
			assertThat(this.echo.received.poll(2, TimeUnit.MINUTES)).isEqualTo("ping");
			this.proxy.dropConnections();
			this.proxy.release(Direction.TO_CLIENT);
			assertIsBroken(client);
		}
		try (Socket client = connect()) {
			send(client, "pong");
			assertThat(receive(client, 4)).isEqualTo("pong");
		}
	}

	@Test
	void refusesNewConnectionsAndKeepsTheOthers() throws Exception {
		try (Socket client = connect()) {
			send(client, "ping");
			assertThat(receive(client, 4)).isEqualTo("ping");
			this.proxy.refuseConnections();
			assertThatExceptionOfType(ConnectException.class).isThrownBy(this::connect);
			send(client, "pong");
			assertThat(receive(client, 4)).isEqualTo("pong");
		}
		this.proxy.acceptConnections();
		try (Socket client = connect()) {
			send(client, "ping");
			assertThat(receive(client, 4)).isEqualTo("ping");
		}
	}

	@Test
	void delaysNewConnections() throws Exception {
		this.proxy.delayConnections(SHORT);
		long start = System.nanoTime();
		try (Socket client = connect()) {
			send(client, "ping");
			assertThat(receive(client, 4)).isEqualTo("ping");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
		}
	}

	@Test
	void reportsTheClientWhenTheServerIsNotThere() throws Exception {
		this.proxy.refuseConnections();
		try (TcpFaultProxy toNobody = TcpFaultProxy.to(this.proxy.host(), this.proxy.port());
				Socket client = connect(toNobody)) {
			assertIsBroken(client);
		}
	}

	@Test
	void countsConnections() throws Exception {
		try (Socket client = connect(); Socket other = connect()) {
			send(client, "ping");
			receive(client, 4);
			send(other, "ping");
			receive(other, 4);
			assertThat(this.proxy.connections()).isEqualTo(2);
		}
		await().atMost(PATIENCE).until(() -> this.proxy.connections() == 0);
	}

	@Test
	void endsEverythingWhenItIsClosed() throws Exception {
		try (Socket client = connect()) {
			this.proxy.close();
			assertIsBroken(client);
			assertThatExceptionOfType(ConnectException.class).isThrownBy(this::connect);
			assertThatIllegalStateException().isThrownBy(this.proxy::acceptConnections).withMessageContaining("closed");
		}
	}

	@Test
	void refusesNegativeDurations() {
		Duration negative = Duration.ofMillis(-1);
		assertThatIllegalArgumentException().isThrownBy(() -> this.proxy.delay(Direction.TO_CLIENT, negative))
			.withMessage("'delay' must not be negative, but is PT-0.001S");
		assertThatIllegalArgumentException().isThrownBy(() -> this.proxy.hold(Direction.TO_CLIENT, negative))
			.withMessage("'duration' must not be negative, but is PT-0.001S");
	}

	private Socket connect() throws IOException {
		return connect(this.proxy);
	}

	private static Socket connect(TcpFaultProxy proxy) throws IOException {
		Socket socket = new Socket(proxy.host(), proxy.port());
		socket.setSoTimeout((int) PATIENCE.toMillis());
		return socket;
	}

	private static void send(Socket socket, String text) throws IOException {
		socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
	}

	private static String receive(Socket socket, int length) throws IOException {
		return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
	}

	private static void assertNothingArrives(Socket socket) throws IOException {
		socket.setSoTimeout((int) SHORT.toMillis());
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> socket.getInputStream().read());
		socket.setSoTimeout((int) PATIENCE.toMillis());
	}

	private static void assertIsBroken(Socket socket) {
		int next;
		try {
			next = socket.getInputStream().read();
		}
		catch (IOException ex) {
			assertThat(ex).isNotInstanceOf(SocketTimeoutException.class);
			return;
		}
		assertThat(next).isEqualTo(-1);
	}

	/**
	 * Sends back what it gets, and remembers it.
	 */
	private static final class Echo {

		final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));

		final BlockingQueue<String> received = new LinkedBlockingQueue<>();

		Echo() throws IOException {
			daemon(() -> {
				while (!this.socket.isClosed()) {
					Socket client = this.socket.accept();
					daemon(() -> echo(client));
				}
			});
		}

		private void echo(Socket client) throws IOException {
			InputStream source = client.getInputStream();
			byte[] buffer = new byte[8192];
			for (int length = source.read(buffer); length >= 0; length = source.read(buffer)) {
				ByteArrayOutputStream copy = new ByteArrayOutputStream();
				copy.write(buffer, 0, length);
				this.received.add(copy.toString(StandardCharsets.US_ASCII));
				client.getOutputStream().write(buffer, 0, length);
			}
		}

		private static void daemon(Loop loop) {
			Thread thread = new Thread(() -> {
				try {
					loop.run();
				}
				catch (IOException ex) {
					// The other side closed.
				}
			});
			thread.setDaemon(true);
			thread.start();
		}

		private interface Loop {

			void run() throws IOException;

		}

	}

}
