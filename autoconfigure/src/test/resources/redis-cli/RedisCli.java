
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * As much of redis-cli as the guide uses, for machines that have none: the option
 * {@code -u}, and a command.
 */
public final class RedisCli {

	private RedisCli() {
	}

	public static void main(String[] args) throws IOException {
		List<String> words = new ArrayList<>(List.of(args));
		URI uri = URI.create("redis://localhost:" + System.getenv("REDIS_PORT"));
		if (words.get(0).equals("-u")) {
			uri = URI.create(words.get(1));
			words = words.subList(2, words.size());
		}
		try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
			OutputStream out = socket.getOutputStream();
			BufferedReader in = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
			if (uri.getUserInfo() != null) {
				String[] user = uri.getUserInfo().split(":");
				answer(out, in, List.of("AUTH", user[0], user[1]));
			}
			System.out.println(answer(out, in, words));
		}
	}

	private static String answer(OutputStream out, BufferedReader in, List<String> words) throws IOException {
		out.write(("*" + words.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
		for (String word : words) {
			byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
			out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
			out.write(bytes);
			out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
		}
		out.flush();
		String line = in.readLine();
		if (line == null || line.startsWith("-")) {
			System.err.println(line);
			System.exit(1);
		}
		return String.valueOf(line).substring(1);
	}

}
