# Runs inside the sandbox, before the program that comes on standard input.
# The limit on processes is set here: in the sandbox's own user namespace it
# counts the sandbox's processes alone, outside it would count everybody's.
# What only a failing program needs is imported when it fails: imports are half
# of the time that a start takes.
import _ast, resource, sys

resource.setrlimit(resource.RLIMIT_NPROC, (int(sys.argv[1]), int(sys.argv[1])))
source = sys.stdin.buffer.read().decode("utf-8")
sys.argv = ["main.py"]
try:
    tree = compile(source, "main.py", "exec", 0x400)  # PyCF_ONLY_AST
    last = None
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        last = _ast.Expression(tree.body.pop().value)
    scope = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(compile(tree, "main.py", "exec"), scope)
    if last is not None:
        value = eval(compile(last, "main.py", "eval"), scope)
        if value is not None:
            print(repr(value))
except SystemExit:
    raise
except BaseException as e:
    import linecache, traceback

    sys.stdout.flush()
    linecache.cache["main.py"] = (len(source), None, source.splitlines(True), "main.py")
    tb = e.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename != "main.py":
        tb = tb.tb_next
    traceback.print_exception(type(e), e, tb, limit=-20)
    sys.exit(1)
