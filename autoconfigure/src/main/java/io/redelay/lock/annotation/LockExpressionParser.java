package io.redelay.lock.annotation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.lock.LockCall;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeCode;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Parses the templates and expressions of annotations once, and rejects those that cannot
 * work. A bare name of a parameter is rewritten to a variable, which can be compiled.
 */
final class LockExpressionParser {

	private static final Pattern STRAY = Pattern.compile("#[A-Za-z_{]|(?<![\\w.])T\\(|@[A-Za-z_]\\w*\\.\\w+\\(");

	private static final List<String> ROOT = List.of("target", "method", "args");

	private final SpelExpressionParser parser;

	private final ConfigurableBeanFactory beanFactory;

	private final StandardEvaluationContext context;

	LockExpressionParser(ConfigurableBeanFactory beanFactory) {
		this(beanFactory, new SpelExpressionParser(
				new SpelParserConfiguration(SpelCompilerMode.MIXED, beanFactory.getBeanClassLoader())));
	}

	LockExpressionParser(ConfigurableBeanFactory beanFactory, SpelExpressionParser parser) {
		this.parser = parser;
		this.beanFactory = beanFactory;
		this.context = new StandardEvaluationContext();
		this.context.setTypeLocator(new StandardTypeLocator(beanFactory.getBeanClassLoader()));
		this.context.setTypeConverter(new StandardTypeConverter(() -> {
			ConversionService conversionService = beanFactory.getConversionService();
			return (conversionService != null) ? conversionService : DefaultConversionService.getSharedInstance();
		}));
		this.context.setBeanResolver(new BeanFactoryResolver(beanFactory));
	}

	LockEvaluationContext context(LockParameters parameters, LockCall call) {
		return new LockEvaluationContext(this.context, parameters, call);
	}

	/**
	 * Parses a template.
	 * @param text the text of the annotation
	 * @param attribute the attribute that holds it
	 * @param place the annotated method
	 * @param parameters the names that it may use
	 */
	LockNameTemplate template(String text, String attribute, MyLockPlace place, LockParameters parameters) {
		String resolved = resolve(text, attribute, place);
		StringBuilder literal = new StringBuilder();
		List<String> literals = new ArrayList<>();
		List<LockNameTemplate.Part> parts = new ArrayList<>();
		try {
			Expression whole = this.parser.parseExpression(resolved, ParserContext.TEMPLATE_EXPRESSION);
			for (Expression part : (whole instanceof CompositeStringExpression all) ? all.getExpressions()
					: new Expression[] { whole }) {
				if (part instanceof SpelExpression expression) {
					literals.add(literal.toString());
					literal.setLength(0);
					parts.add(part(read(expression, attribute, place, parameters), parameters));
				}
				else {
					refuseStray(part.getExpressionString(), attribute, place);
					literal.append(part.getExpressionString());
				}
			}
		}
		catch (ParseException | IllegalStateException ex) {
			throw (ex instanceof InvalidMyLockException invalid) ? invalid : place.invalid(attribute,
					"'" + resolved + "' cannot be read: " + ex.getMessage(), "Write names like order:#{id}", ex);
		}
		literals.add(literal.toString());
		return new LockNameTemplate(text, literals, parts);
	}

	private static LockNameTemplate.Part part(SpelExpression expression, LockParameters parameters) {
		return new LockNameTemplate.Part(expression, (expression.getAST() instanceof VariableReference variable)
				? parameters.position(variable.toStringAST().substring(1)) : null);
	}

	/**
	 * Parses an expression, with or without the marks of a template around it.
	 */
	SpelExpression expression(String text, String attribute, MyLockPlace place, LockParameters parameters) {
		String resolved = resolve(text, attribute, place).strip();
		String bare = (resolved.startsWith("#{") && resolved.endsWith("}"))
				? resolved.substring(2, resolved.length() - 1) : resolved;
		try {
			return read(this.parser.parseRaw(bare), attribute, place, parameters);
		}
		catch (ParseException ex) {
			throw place.invalid(attribute, "'" + resolved + "' cannot be read: " + ex.getMessage(),
					"Write an expression like #{amount > 100}", ex);
		}
	}

	private String resolve(String text, String attribute, MyLockPlace place) {
		String resolved;
		try {
			resolved = this.beanFactory.resolveEmbeddedValue(text);
		}
		catch (IllegalArgumentException ex) {
			throw place.invalid(attribute, "a placeholder in '" + text + "' cannot be resolved: " + ex.getMessage(),
					"Define the property, or give it a default like ${name:default}", ex);
		}
		if (resolved == null || resolved.isBlank()) {
			throw place.invalid(attribute, "'" + text + "' is blank", "Give the lock a name");
		}
		if (resolved.contains("${")) {
			throw place.invalid(attribute, "a placeholder in '" + resolved + "' cannot be resolved",
					"Define the property, or give it a default like ${name:default}");
		}
		return resolved;
	}

	private static void refuseStray(String literal, String attribute, MyLockPlace place) {
		Matcher stray = STRAY.matcher(literal);
		if (stray.find()) {
			throw place.invalid(attribute,
					"'" + literal + "' looks like an expression, but is outside of #{…} and would be the same for all",
					"Write the expression as #{…}; text with such characters is written as #{'" + stray.group() + "'}");
		}
	}

	private SpelExpression read(SpelExpression expression, String attribute, MyLockPlace place,
			LockParameters parameters) throws ParseException {
		String text = expression.getExpressionString();
		Reader reader = new Reader(text, attribute, place, parameters);
		reader.visit(expression.getAST(), false);
		StringBuilder rewritten = new StringBuilder(text);
		for (int position : reader.bare.descendingSet()) {
			rewritten.insert(position, '#');
		}
		return this.parser.parseRaw(rewritten.toString());
	}

	/**
	 * Visits the nodes of an expression.
	 */
	private final class Reader {

		private final String text;

		private final String attribute;

		private final MyLockPlace place;

		private final LockParameters parameters;

		/**
		 * The positions of bare names that are rewritten to variables.
		 */
		private final TreeSet<Integer> bare = new TreeSet<>();

		Reader(String text, String attribute, MyLockPlace place, LockParameters parameters) {
			this.text = text;
			this.attribute = attribute;
			this.place = place;
			this.parameters = parameters;
		}

		/**
		 * Visits a node.
		 * @param node the node
		 * @param element whether names that are no parameters are properties of an
		 * element, as inside of a selection
		 */
		void visit(SpelNode node, boolean element) {
			if (node instanceof PropertyOrFieldReference property) {
				name(property, element);
			}
			else if (node instanceof VariableReference) {
				variable(node.toStringAST().substring(1));
			}
			else if (node instanceof FunctionReference) {
				throw invalid("there is no function " + node.toStringAST(), "Call a static method: #{T(a.Type).m()}");
			}
			else if (node instanceof BeanReference) {
				bean(node.toStringAST());
			}
			else if (node instanceof TypeReference) {
				type(node.getChild(0).toStringAST());
			}
			else if (node instanceof ConstructorReference) {
				type(node.getChild(0).toStringAST());
			}
			else if (node instanceof CompoundExpression) {
				staticCall(node.getChild(0), node.getChild(1));
			}
			children(node, element || node instanceof Selection || node instanceof Projection);
		}

		private void children(SpelNode node, boolean element) {
			for (int i = 0; i < node.getChildCount(); i++) {
				SpelNode child = node.getChild(i);
				boolean follows = node instanceof CompoundExpression && i > 0;
				boolean key = node instanceof InlineMap && i % 2 == 0;
				if (!((follows || key) && child instanceof PropertyOrFieldReference)) {
					visit(child, element);
				}
			}
		}

		private void name(PropertyOrFieldReference property, boolean element) {
			String name = property.getName();
			if (element && !this.parameters.contains(name)) {
				return;
			}
			if (!this.parameters.contains(name) && !ROOT.contains(name)) {
				throw unknown("'" + name + "' is neither a parameter nor target, method or args");
			}
			this.bare.add(property.getStartPosition());
		}

		private void variable(String name) {
			if (!this.parameters.contains(name) && !ROOT.contains(name) && !"root".equals(name)
					&& !"this".equals(name)) {
				throw unknown("'#" + name + "' is not a parameter");
			}
		}

		private InvalidMyLockException unknown(String problem) {
			if (this.parameters.isEmpty()) {
				return invalid(problem, "The method has no parameters: use one of " + ROOT
						+ ", or give the method a @MyLock of its own");
			}
			return this.parameters.areNamed() ? invalid(problem, "Use one of " + this.parameters)
					: invalid(problem + ", and the class was compiled without the names of parameters",
							"Compile with -parameters, or use " + this.parameters);
		}

		private void bean(String reference) {
			String name = reference.replaceAll("^[@&]+'?|'$", "");
			if (!LockExpressionParser.this.beanFactory.containsBean(name)) {
				throw invalid("there is no bean '" + name + "'", "Define the bean, or correct its name");
			}
		}

		/**
		 * Finds a type.
		 * @return the type, or {@code null} if it is a primitive one
		 */
		private @Nullable Class<?> type(String name) {
			if (TypeCode.forName(name) != TypeCode.OBJECT) {
				return null;
			}
			try {
				return LockExpressionParser.this.context.getTypeLocator().findType(name);
			}
			catch (EvaluationException ex) {
				throw invalid("there is no type " + name, "Write the type with its package");
			}
		}

		/**
		 * Finds the method that is called on a type. Methods of beans are not checked:
		 * their types are not known before the beans exist.
		 */
		private void staticCall(SpelNode on, SpelNode call) {
			if (!(on instanceof TypeReference) || !(call instanceof MethodReference method)) {
				return;
			}
			String name = on.getChild(0).toStringAST();
			Class<?> type = type(name);
			if (type != null && !hasMethod(type, method) && !hasMethod(Class.class, method)) {
				throw invalid("the type " + name + " has no method '" + method.getName() + "'",
						"Call one of its static methods");
			}
		}

		private static boolean hasMethod(Class<?> type, MethodReference method) {
			return Arrays.stream(type.getMethods()).anyMatch((each) -> each.getName().equals(method.getName()));
		}

		private InvalidMyLockException invalid(String problem, String mend) {
			return this.place.invalid(this.attribute, "in #{" + this.text + "} " + problem, mend);
		}

	}

}
