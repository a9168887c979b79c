package io.redelay.management;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Serves the files of the dashboard, and answers of a test in place of the endpoints, so
 * that the page meets what an application seldom says. It has no Redis. Each test method
 * has one of its own.
 */
final class PageServer implements BeforeEachCallback, AfterEachCallback {

	private static final String FILES = "/io/redelay/queue/actuate/dashboard/";

	private static final Map<String, String> TYPES = Map.of("js", "text/javascript", "css", "text/css", "svg",
			"image/svg+xml", "html", "text/html;charset=utf-8", "txt", "text/plain");

	/** What the bar of each view asks for. */
	static final String STATUS = "queues/-/status";

	private HttpServer server;

	private ExecutorService threads;

	private final Map<String, Answer> answers = new ConcurrentHashMap<>();

	private final AtomicInteger status = new AtomicInteger();

	private final List<Asked> asked = new CopyOnWriteArrayList<>();

	@Override
	public void beforeEach(ExtensionContext context) throws IOException {
		this.threads = Executors.newFixedThreadPool(4);
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.threads);
		this.server.createContext("/", this::answer);
		this.server.start();
		write(true);
		answer(STATUS, resource("status.json"));
		answer("queues", resource("queues.json"));
		answer("queues/receipts", resource("queue.json"));
		answer("queues/-/instances", resource("instances.json"));
	}

	String url(String fragment) {
		return "http://localhost:" + this.server.getAddress().getPort() + "/actuator/redelay#" + fragment;
	}

	void write(boolean allowed) {
		answer("redelay/config", """
				{"queues": "queues", "locks": "locks", "version": "0.1.0", "write": %s, "payloads": true}
				""".formatted(allowed));
	}

	void answer(String path, String json) {
		answer(path, 200, "application/json", json);
	}

	void answer(String path, int status, String type, String body) {
		this.answers.put(path, new Answer(status, type, body.getBytes(StandardCharsets.UTF_8)));
	}

	/** Lets the server answer as it would without an answer of the test. */
	void answerAsAlways(String path) {
		this.answers.remove(path);
	}

	/** How often the bar asked. */
	int askedForStatus() {
		return this.status.get();
	}

	/**
	 * What was asked of the endpoints, not counting the files of the page and the bar.
	 */
	List<Asked> asked() {
		return this.asked;
	}

	static String resource(String name) {
		try (InputStream file = PageServer.class.getResourceAsStream("page/" + name)) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new IllegalStateException(name, ex);
		}
	}

	private void answer(HttpExchange exchange) throws IOException {
		try (exchange) {
			String path = exchange.getRequestURI().getPath().replaceFirst("^/actuator/", "");
			byte[] body = exchange.getRequestBody().readAllBytes();
			Answer answer = this.answers.get(path);
			if (answer != null) {
				if (path.equals(STATUS)) {
					this.status.incrementAndGet();
				}
				else if (!path.startsWith("redelay")) {
					this.asked.add(new Asked(exchange.getRequestMethod(), path,
							exchange.getRequestHeaders().getFirst("X-XSRF-TOKEN"),
							new String(body, StandardCharsets.UTF_8)));
				}
				answer.send(exchange);
			}
			else if (path.equals("redelay")) {
				exchange.getResponseHeaders().add("Set-Cookie", "XSRF-TOKEN=a%20token; Path=/");
				file("index.html").send(exchange);
			}
			else if (path.matches("redelay/[a-zA-Z-]+(\\.[a-z]+)+")) {
				file(path.substring(8)).send(exchange);
			}
			else {
				new Answer(404, "application/json", """
						{"status": 404, "error": "unknown-queue", "message": "There is no %s."}""".formatted(path)
					.getBytes(StandardCharsets.UTF_8)).send(exchange);
			}
		}
	}

	private static Answer file(String name) throws IOException {
		try (InputStream file = PageServer.class.getResourceAsStream(FILES + name)) {
			if (file == null) {
				return new Answer(404, "text/plain", new byte[0]);
			}
			return new Answer(200, TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain"),
					file.readAllBytes());
		}
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	record Asked(String method, String path, String token, String body) {
	}

	@SuppressWarnings("ArrayRecordComponent") // written once, never compared
	private record Answer(int status, String type, byte[] body) {

		void send(HttpExchange exchange) throws IOException {
			exchange.getResponseHeaders().set("Content-Type", this.type);
			exchange.sendResponseHeaders(this.status, this.body.length == 0 ? -1 : this.body.length);
			exchange.getResponseBody().write(this.body);
		}

	}

}
