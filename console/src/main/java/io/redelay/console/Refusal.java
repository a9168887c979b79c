package io.redelay.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import jakarta.servlet.http.HttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestHandler;

/**
 * The answer to a request that is not carried out, in the form that the endpoints have
 * for theirs.
 *
 * @param status the status
 * @param error the kind of the error
 * @param message what is wrong
 */
record Refusal(int status, String error, String message) {

	static HttpRequestHandler unavailable(String message) {
		Refusal refusal = new Refusal(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "unavailable", message);
		return (request, response) -> refusal.write(response);
	}

	void write(HttpServletResponse response) throws IOException {
		byte[] body = JsonMapper.shared()
			.writeValueAsString(Map.of("status", this.status, "error", this.error, "message", this.message))
			.getBytes(StandardCharsets.UTF_8);
		response.setStatus(this.status);
		response.setContentType(MediaType.APPLICATION_JSON_VALUE);
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

}
