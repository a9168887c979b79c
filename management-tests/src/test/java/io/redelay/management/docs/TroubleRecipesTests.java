package io.redelay.management.docs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.sun.net.httpserver.HttpServer;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.TroubleEvent;
import org.junit.jupiter.api.Test;

import org.springframework.mail.javamail.JavaMailSenderImpl;
import org.springframework.web.client.HttpServerErrorException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The recipes that send mails and call webhooks when a queue is in trouble do so.
 */
class TroubleRecipesTests {

	@Test
	void aMailSaysWhatStandsInTheWay() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			CompletableFuture<String> received = CompletableFuture.supplyAsync(() -> receive(server));
			JavaMailSenderImpl mails = new JavaMailSenderImpl();
			mails.setHost(server.getInetAddress().getHostAddress());
			mails.setPort(server.getLocalPort());
			new TroubleMails(mails).onTrouble(event(TroubleEvent.Type.BEGAN, Severity.CRITICAL));
			assertThat(received.get()).contains("To: operators@example.org")
				.contains("Subject: orders NO_CONSUMER BEGAN since 2026-01-01T00:00:00Z")
				.contains("Nobody consumes.\n\nStart it.");
		}
	}

	@Test
	void aWebhookGetsATextAndAnErrorIsThrown() throws IOException {
		Queue<String> bodies = new ConcurrentLinkedQueue<>();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			assertThat(exchange.getRequestHeaders().getFirst("Content-Type")).startsWith("application/json");
			bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
			exchange.sendResponseHeaders(bodies.peek().contains("ENDED") ? 500 : 200, -1);
			exchange.close();
		});
		server.start();
		try {
			TroubleWebhook webhook = new TroubleWebhook("http://localhost:" + server.getAddress().getPort() + "/");
			webhook.onTrouble(event(TroubleEvent.Type.BEGAN, Severity.CRITICAL));
			assertThat(bodies).containsExactly("{\"text\":\"CRITICAL orders BEGAN: Nobody consumes.\"}");
			bodies.clear();
			TroubleEvent ended = event(TroubleEvent.Type.ENDED, Severity.CRITICAL);
			assertThatExceptionOfType(HttpServerErrorException.class).as("it is logged")
				.isThrownBy(() -> webhook.onTrouble(ended));
		}
		finally {
			server.stop(0);
		}
	}

	private static TroubleEvent event(TroubleEvent.Type type, Severity severity) {
		Instant since = Instant.parse("2026-01-01T00:00:00Z");
		return new TroubleEvent(type, "orders", Kind.NO_CONSUMER, severity, "Nobody consumes.", "Start it.", since,
				since.plusSeconds(30));
	}

	/**
	 * Receives one mail, as a mail server does.
	 */
	private static String receive(ServerSocket server) {
		StringBuilder mail = new StringBuilder();
		try (Socket client = server.accept();
				BufferedReader in = new BufferedReader(
						new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
				PrintWriter out = new PrintWriter(client.getOutputStream(), true, StandardCharsets.US_ASCII)) {
			out.print("220 ready\r\n");
			out.flush();
			boolean isText = false;
			for (String line = in.readLine(); line != null; line = in.readLine()) {
				boolean ends = line.equals(".");
				if (isText && !ends) {
					mail.append(line).append('\n');
					continue;
				}
				isText = line.equals("DATA");
				out.print(isText ? "354 go on\r\n" : line.equals("QUIT") ? "221 bye\r\n" : "250 ok\r\n");
				out.flush();
			}
			return mail.toString();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
