# Writes jinja.json: templates and what Jinja2 renders of them, run as the Hugging Face runner
# does. Run in this folder with Jinja2 3.1.6.
import json, jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
def boom(m): raise jinja2.exceptions.TemplateError(m)
env=ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=['jinja2.ext.loopcontrols'])
env.filters['tojson']=tojson; env.globals['raise_exception']=boom
glm=open('glm52.jinja').read()
U=lambda c:{"role":"user","content":c}
A=lambda c,r=None,t=None:{"role":"assistant","content":c,**({"reasoning_content":r} if r else {}),**({"tool_calls":[{"type":"function","function":{"name":n,"arguments":a}} for n,a in t]} if t else {})}
S=lambda c:{"role":"system","content":c}
T=lambda c:{"role":"tool","content":c}
tools=[{"type":"function","function":{"name":"weather","description":"It's <b>\"now\"</b> — 天气","parameters":{"type":"object","properties":{"zip":{"type":"integer"},"city":{"type":"string","enum":["a","b"]}},"required":["zip"]},"strict":True}},
 {"type":"function","function":{"name":"hidden","defer_loading":True}},
 {"name":"flat","x":1.0,"y":1e-7,"z":12345678901,"n":None,"e":{},"l":[]}]
conv=[S("SYS"),U("Hello"),A("Hi there"),U("How are you?")]
callconv=[U("w?"),A("","  need it\n",[("weather",{"zip":123,"city":"a\nb","deep":{"k":[1,2.5,True,None,"é"]}}),("flat",{})]),T('{"t": 1}'),T("two"),A("done","after"),U("more")]
cases=[]
def add(name,template,messages=conv,tools=None,**v):
    t=glm if template is None else template
    want=env.from_string(t).render(messages=messages,tools=tools,documents=None,**{"add_generation_prompt":False,**v})
    cases.append({"name":name,"template":template or "","messages":messages,"tools":tools,"vars":v,"want":want})
add("glm chat",None,add_generation_prompt=True)
add("glm thinking off",None,add_generation_prompt=True,enable_thinking=False)
add("glm thinking on",None,add_generation_prompt=True,enable_thinking=True)
add("glm effort high",None,add_generation_prompt=True,reasoning_effort="high")
add("glm tools",None,callconv,tools,add_generation_prompt=True)
add("glm clear thinking",None,callconv,None,clear_thinking=True)
add("glm think in content",None,[U("a"),A("<think>\nxx\n</think>\n\nyy"),U("b")],add_generation_prompt=True)
sn={
"index of one":"{{ messages[-1].content }}{{ messages[:1][0]['content'] }}",
"reverse slice":"{% for m in messages[::-1] %}{{ loop.index0 }}{{ m.role }},{% endfor %}",
"reverse filter":"{% for m in messages|reverse %}{{ m.content }},{% endfor %}{{ 'abc'|reverse }}",
"slices":"{% for m in messages[1:] %}{{ m.role }} {% endfor %}{% for m in messages[:-1] %}{{ m.role }} {% endfor %}{{ 'abcdef'[1:3] }}{{ 'abcdef'[::2] }}",
"split":"{{ 'a b  c'.split()|join('-') }}|{{ 'a,b,c'.split(',')[-1] }}|{{ 'x'.split(',')[-1] }}|{{ 'a,b,c'.split(',', 1)|join(';') }}",
"strip":"[{{ '  a '.strip() }}][{{ '\n\na\n'.lstrip('\n') }}][{{ 'xxa'.strip('x') }}][{{ ' b '|trim }}][{{ 'ab\n\n'.rstrip('\n') }}]",
"blocks trimmed":"  {% if true %}\n    yes\n  {% endif %}\nend\n   {# c #}\nx\n",
"minus":"a  \n {%- if true -%}  \n b \n {%- endif %}\n c",
"newline after variable":"{{ 1 }}\n{{ 2 }}\n",
"plus keeps":"a\n  {%+ if true %}b{% endif +%}\nc",
"namespace":"{% set ns = namespace(n=0, found=false) %}{% for m in messages %}{% if m.role == 'user' %}{% set ns.n = ns.n + 1 %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.n }}{{ ns.found }}",
"loop scope":"{% set x = 1 %}{% for m in messages %}{% set x = 2 %}{% endfor %}{{ x }}",
"loop variables":"{% for m in messages %}{{ loop.index }}{{ loop.first }}{{ loop.last }}{{ loop.length }};{% endfor %}",
"loop if else":"{% for m in messages if m.role == 'tool' %}x{% else %}none{% endfor %}",
"loop neighbours":"{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined else '-' }}>{{ loop.nextitem.role if loop.nextitem is defined else '-' }} {% endfor %}",
"break continue":"{% for m in messages %}{% if loop.index == 2 %}{% continue %}{% endif %}{% if loop.index == 4 %}{% break %}{% endif %}{{ loop.index }}{% endfor %}",
"defined":"{{ nothing is defined }}{{ messages is defined }}{{ nothing is not defined }}{{ tools is none }}{{ messages[0].reasoning_content is defined }}",
"default":"{{ nothing | default('d') }}{{ nothing or 'e' }}{{ '' or 'f' }}{{ nothing|default(true) }}",
"types":"{{ messages is iterable }}{{ messages[0] is mapping }}{{ messages[0].content is string }}{{ 1 is number }}{{ messages is mapping }}{{ messages is sequence }}{{ true is boolean }}",
"in":"{{ 'YS' in messages[0].content }}{{ 'role' in messages[0] }}{{ 'zz' not in messages[0] }}{{ 2 in [1,2] }}",
"dict literal":"{% set d = {'b': 1, 'a': [1, 'x']} %}{{ d | tojson }}{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{{ d['a'][1] }}{{ d.get('q', 'no') }}{{ d.get('b') }}",
"dict order":"{% for k in messages[0] %}{{ k }} {% endfor %}{% for k, v in messages[0]|items %}{{ k }}:{{ v }} {% endfor %}{{ messages[0].keys()|join(',') }}",
"concat":"{{ 'a' + 'b' ~ 1 ~ true }}{{ [1] + [2] }}{{ 'x' * 3 }}",
"arithmetic":"{{ 7 // 2 }} {{ 7 % 3 }} {{ -1 + 2 }} {{ 1 + 2 * 3 }} {{ (messages|length - 1) % 2 == 1 }}",
"inline if":"{{ 'a' if messages|length > 2 else 'b' }}{{ 'c' if false }}|{{ ('d' if false else 'e') + 'f' }}",
"logic":"{{ not false and true }}{{ (messages[0].role == 'system') == (0 == 0) }}{{ 1 == 1 and not 2 == 3 or false }}",
"macro":"{% macro f(a, b='z') %}[{{ a }}{{ b }}]{% endmacro %}{{ f(1) }}{{ f('x', b='y') }}{{ f(a=3, b=4) }}",
"set block":"{% set t %}a{{ 1 }}b{% endset %}{{ t }}{{ t|length }}",
"filters":"{{ 'Ab'|upper }}{{ 'Ab'|lower }}{{ [3,1,2]|sort|join(',') }}{{ messages|map(attribute='role')|join(',') }}{{ messages|selectattr('role','equalto','user')|list|length }}{{ messages|rejectattr('role','equalto','user')|map(attribute='content')|first }}",
"string methods":"{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith('c') }}{{ 'a-b'.replace('-', '+') }}{{ 'aBc'.upper() }}{{ 'x y'.title() }}",
"tojson indent":"{{ {'a': [1, {'b': 'é\"\\n'}], 'c': {}, 'd': []} | tojson(indent=2) }}",
"tojson ascii":"{{ 'é日😀\x7f<&\\'' | tojson(ensure_ascii=true) }}{{ 'é日😀<&\\'' | tojson }}",
"tojson separators":"{{ {'b': 1, 'a': 2.5} | tojson(separators=(',', ':'), sort_keys=true) }}",
"range":"{% for i in range(3) %}{{ i }}{% endfor %}{% for i in range(5, 0, -2) %}{{ i }}{% endfor %}",
"raw":"{% raw %}{{ x }}{% endraw %}",
"unicode":"日本{{ '語' }}{{ messages[0].content|length }}{{ '日本'|length }}",
"empty list is false":"{{ 'y' if [] else 'n' }}{{ 'y' if messages else 'n' }}",
"nested conditions":"{{ [1 if true else 2, (3 if false else 4)]|join(',') }}{{ 'a' if false else 'b' if false else 'c' }}{% set x = (1 if 1 == 2 else 5) + 1 %}{{ x }}{% for i in ([1,2] if true else []) %}{{ i }}{% endfor %}{{ {'k': 1 if false else 2}.k }}",
"whitespace 1":"  {{ 1 }}  {% if true %}  x  {% endif %}  y\n  {% if true %}\n  z\n  {% endif %}\n\n\n w {# c #} v\n {# d #}\n u",
"whitespace 2":"a {%- set x = 1 %}\n\n  {% set y = 2 -%}  \n b {{- x -}} \n c\n{% raw %}\n  {{ q }}\n  {% endraw %}\nd{%- raw -%} e {%- endraw -%} f",
"whitespace 3":"\n\n{% if true %}\n\n  a{% endif %}\n{{ 1 }}\n{%+ if true %}b{%+ endif %}\n\t{% if true +%}\nc{% endif %}\n\n",
"whitespace 4":"{% if true %}{% if true %}\nx{% endif %}  {% endif %}\n{# a #}  {# b #}\n {{ 1 }} {% if true %}q{% endif %}{{- ' r' }} \n",
"whitespace 5":"{% if true %}\n  {% if true %}\n  {%- if true %}\n   {% if true -%}\n   {% if true %} {% endif %}{% endif %}{% endif %}{% endif %}{% endif %}\n   {{- 'a' }}\n   {#- b -#}\n\n  {% set q = 1 %}  \n  z",
"rsplit":"{{ 'a,b,c'.rsplit(',', 1)|join(';') }}{{ 'a b'.find('b') }}{{ 'a,b'.count(',') }}{{ ','.join(['x','y']) }}{{ 'abc'.startswith(('x','a')) }}{{ 'aXbX'.replace('X','y',1) }}",
"first last":"{{ messages|first|tojson }}{{ (messages|last).content }}",
"nested loops":"{% for m in messages %}{% set outer = loop %}{% for c in [1,2] %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}",
"quotes":"{{ \"it's\" }}{{ 'a\\tb\\\\n' }}",
"comment":"a{# {{ x }} #}b{#- c -#} d",
"none":"{{ none is none }}{{ 'x' if none else 'y' }}",
"comparison chain":"{{ messages[0]['role'] != 'user' and messages[1]['role'] == 'user' }}",
"ternary in call":"{% macro g(x) %}{{ x }}{% endmacro %}{{ g('a' if true else 'b') }}",
}
for k,v in sn.items():
    try: add(k,v)
    except Exception as e: print("jinja refuses",k,e)
one=[U("only")]
add("index of one message","{{ messages[-1].content }}{{ messages[-1]['role'] }}{{ messages[0:][-1].content }}",one)
add("reverse of two","{% for m in messages|reverse %}{{ m.content }}{% endfor %}",[U("a"),U("b")])
add("generation free","{{ bos }}{% for m in messages %}{{ m['content'] | trim }}{{ eos }}{% endfor %}",conv,bos="<s>",eos="</s>")
json.dump(cases,open('jinja.json','w'),ensure_ascii=False,indent=1)

