package io.redelay.console;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * A console on a port of its own.
 */
final class Console implements AutoCloseable {

	private static final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private final String address;

	private Console(ConfigurableApplicationContext context) {
		this.context = context;
		this.address = "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/";
	}

	/**
	 * Starts it.
	 * @param properties its properties, without the dashes; those of sources from their
	 * names on, as in {@code shop.url=...}
	 */
	static Console start(String... properties) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0"));
		for (String property : properties) {
			boolean isOfTheConsole = property.matches("(server|spring|management|redelay)\\..*");
			arguments.add("--" + (isOfTheConsole ? "" : "redelay.console.sources.") + property);
		}
		return new Console(ConsoleApplication.application().run(arguments.toArray(String[]::new)));
	}

	String address(String path) {
		return this.address + path;
	}

	int port() {
		return URI.create(this.address).getPort();
	}

	HttpResponse<String> get(String path) throws Exception {
		return send("GET", path);
	}

	HttpResponse<String> send(String method, String path, String... headers) throws Exception {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address(path)));
		if (headers.length > 0) {
			request.headers(headers);
		}
		HttpRequest.BodyPublisher body = method.equals("GET") ? HttpRequest.BodyPublishers.noBody()
				: HttpRequest.BodyPublishers.ofString("{}");
		return client.send(request.method(method, body).build(), HttpResponse.BodyHandlers.ofString());
	}

	JsonNode json(String path) throws Exception {
		return JsonMapper.shared().readTree(get(path).body());
	}

	boolean isConnected(String source) throws Exception {
		return get(source + "/queues/-/status").statusCode() == 200;
	}

	@Override
	public void close() {
		this.context.close();
	}

}
